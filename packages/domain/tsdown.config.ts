import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({
  ...shared,
  entry: {
    index: "src/index.ts",
    "audit/index": "src/audit/index.ts",
    "capture/index": "src/capture/index.ts",
    "delivery/index": "src/delivery/index.ts",
    "input/index": "src/input/index.ts",
    "internal/index": "src/internal/index.ts",
    "template/index": "src/template/index.ts",
    "transcript/index": "src/transcript/index.ts"
  }
})
