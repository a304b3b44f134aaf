import { typesByModule } from "@tapedeck/tsconfig/typesByModule.ts"
import { defineConfig, type UserConfig } from "tsdown"

const shared: UserConfig = {
  platform: "neutral",
  target: "es2022",
  fixedExtension: false,
  sourcemap: true,
  treeshake: { moduleSideEffects: false },
  dts: true
}

const entry = { index: "src/index.ts", signing: "src/signing.ts" }

export default defineConfig([
  {
    ...shared,
    entry: { ...entry, effect: "src/effect/index.ts" },
    format: "esm",
    outputOptions: typesByModule,
    // The entry `effect` contains its part of the contract; Effect itself is the caller's.
    deps: { neverBundle: [/^effect(\/|$)/], alwaysBundle: [/^@tapedeck\/(contract|domain)$/] },
    inputOptions: { resolve: { conditionNames: ["source", "import", "default"] } }
  },
  {
    ...shared,
    entry,
    format: "cjs",
    // Required, the client must not load another copy of `@tapedeck/signing` than its caller, whose errors are other classes.
    outputOptions: { ...typesByModule, dynamicImportInCjs: false }
  }
])
