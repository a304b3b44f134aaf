import { defineConfig } from "tsdown"

export default defineConfig({
  entry: { index: "src/index.ts", signing: "src/signing.ts" },
  format: ["esm", "cjs"],
  platform: "neutral",
  target: "es2022",
  fixedExtension: false,
  sourcemap: true,
  treeshake: { moduleSideEffects: false },
  dts: true
})
