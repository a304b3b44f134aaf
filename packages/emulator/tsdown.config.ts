import { defineConfig } from "tsdown"

/**
 * The command and the library, each with all that it needs inside: who installs the package installs nothing else.
 * Workspace packages are bundled from their source.
 */
export default defineConfig({
  entry: { index: "src/index.ts", main: "src/main.ts" },
  platform: "node",
  fixedExtension: false,
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  inputOptions: { resolve: { conditionNames: ["source", "import", "node", "default"] } },
  dts: false,
  // The page's files are read beside the code, in the sources and here.
  copy: [{ from: "src/ui/assets", to: "dist" }]
})
