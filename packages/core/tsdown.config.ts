import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({
  ...shared,
  // A module each, so that a bundle with a part of the package does not contain the rest.
  unbundle: true,
  entry: {
    index: "src/index.ts",
    input: "src/input/index.ts",
    command: "src/command.ts",
    sourceStacks: "src/sourceStacks.ts"
  }
})
