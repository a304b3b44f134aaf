import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({
  ...shared,
  platform: "node",
  entry: {
    files: "src/files/index.ts",
    metrics: "src/metrics.ts",
    move: "src/move/moveDatabase.ts",
    postgres: "src/postgres/index.ts",
    sqlite: "src/sqlite/index.ts"
  }
})
