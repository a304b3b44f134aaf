import { typesByModule } from "@tapedeck/tsconfig/typesByModule.ts"
import { defineConfig, type UserConfig } from "tsdown"

const shared: UserConfig = {
  platform: "neutral",
  target: "es2022",
  fixedExtension: false,
  treeshake: { moduleSideEffects: false },
  dts: true
}

const entry = {
  index: "src/index.ts",
  settings: "src/entries/settings.ts",
  signing: "src/signing.ts",
  v1: "src/entries/v1.ts"
}

/** Entries of this package that another one names. */
const own = /^@tapedeck\/client\//

export default defineConfig([
  {
    ...shared,
    entry: { ...entry, effect: "src/effect/index.ts" },
    format: "esm",
    outputOptions: typesByModule,
    // The entry `effect` contains its part of the contract; Effect itself is the caller's.
    deps: { neverBundle: [/^effect(\/|$)/, own], alwaysBundle: [/^@tapedeck\/(contract|domain)$/] },
    inputOptions: { resolve: { conditionNames: ["source", "import", "default"] } }
  },
  {
    ...shared,
    entry,
    format: "cjs",
    deps: { neverBundle: [own] },
    // Required, the client must not load another copy of `@tapedeck/signing` than its caller, whose errors are other classes.
    outputOptions: { ...typesByModule, dynamicImportInCjs: false }
  }
])
