import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({
  ...shared,
  entry: {
    index: "src/index.ts",
    "delivery/index": "src/delivery/index.ts",
    "template/index": "src/template/index.ts",
    "transcript/index": "src/transcript/index.ts"
  }
})
