import { defineConfig } from "tsdown"
import { effectModules } from "./effectModules.ts"
import { typesByModule } from "./typesByModule.ts"

/**
 * How a library is built: ES modules and their types, under the names that its package.json's `exports` give them. The modules
 * are readable and keep their comments, so they need no source maps, which would be half of the download.
 */
export default defineConfig({
  entry: ["src/index.ts"],
  platform: "neutral",
  dts: true,
  // The user's Effect. tsdown finds that out by itself, by resolving each of its thousands of imports of types.
  inputOptions: { external: [/^effect(\/|$)/] },
  plugins: [effectModules],
  outputOptions: typesByModule,
  fixedExtension: false,
  // So that a build replaces the files of the one before, also where turbo restores it and removes nothing.
  hash: false
})
