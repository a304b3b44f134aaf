import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({
  ...shared,
  // A module each, so that a bundle with a part of the package does not contain the rest.
  unbundle: true,
  entry: { index: "src/index.ts", "node/index": "src/node/index.ts" }
})
