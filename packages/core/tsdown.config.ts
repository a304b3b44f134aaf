import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({
  ...shared,
  entry: {
    index: "src/index.ts",
    input: "src/input/index.ts",
    nodeVersion: "src/nodeVersion.ts",
    sourceStacks: "src/sourceStacks.ts"
  }
})
