import { consoleFiles } from "@tapedeck/tsconfig/consoleFiles.ts"
import { placesOnly } from "@tapedeck/tsconfig/sourceMap.ts"
import { minify, startUp } from "@tapedeck/tsconfig/startUp.ts"
import { thirdPartyLicenses } from "@tapedeck/tsconfig/thirdPartyLicenses.ts"
import { defineConfig } from "tsdown"

/** The command as one thing: who has `dist/` and a Node has the server. What a start does not need is loaded later. */
export default defineConfig({
  platform: "node",
  fixedExtension: false,
  entry: { main: "src/main.ts" },
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  plugins: [startUp, placesOnly, thirdPartyLicenses(import.meta.dirname)],
  sourcemap: true,
  minify,
  // Workspace packages are bundled from their source.
  inputOptions: {
    resolve: { conditionNames: ["source", "import", "node", "default"] },
    checks: { pluginTimings: false }
  },
  // The console's files and the demo's videos are read beside the code, in the sources and here.
  copy: [{ from: consoleFiles(), rename: "console" }, { from: "../../packages/fixtures/src/demo/videos" }],
  dts: false
})
