import { defineConfig } from "tsdown"
import { typesByModule } from "./typesByModule.ts"

/** How a library is built: ES modules and their types, under the names that its package.json's `exports` give them. */
export default defineConfig({
  entry: ["src/index.ts"],
  platform: "neutral",
  dts: true,
  outputOptions: typesByModule,
  sourcemap: true,
  fixedExtension: false
})
