import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

/** What a demo starts with is apart: whoever shows none does not load it. */
export default defineConfig({
  ...shared,
  entry: {
    index: "src/index.ts",
    demo: "src/demo/demoDocument.ts",
    nodeVersion: "src/nodeVersion.ts",
    sourceStacks: "src/sourceStacks.ts"
  }
})
