import { defineConfig, type UserConfig } from "tsdown"

const shared: UserConfig = {
  entry: { index: "src/index.ts" },
  platform: "browser",
  target: "es2022",
  fixedExtension: false,
  // What it needs of domain and client is inside; Effect, which the rest of domain needs, is not.
  deps: { alwaysBundle: [/^@tapedeck\/(domain$|client\/tus$)/], onlyBundle: false }
}

export default defineConfig([
  {
    ...shared,
    treeshake: { moduleSideEffects: false },
    inputOptions: { resolve: { conditionNames: ["source", "import", "default"] } },
    dts: false
  },
  { ...shared, clean: false, dts: { emitDtsOnly: true } }
])
