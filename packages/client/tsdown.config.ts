import { defineConfig } from "tsdown"

export default defineConfig({
  entry: { index: "src/index.ts", signing: "src/signing.ts" },
  format: ["esm", "cjs"],
  platform: "neutral",
  target: "es2022",
  fixedExtension: false,
  sourcemap: true,
  treeshake: { moduleSideEffects: false },
  // Required, the client must not load another copy of `@tapedeck/signing` than its caller, whose errors are other classes.
  outputOptions: { dynamicImportInCjs: false },
  dts: true
})
