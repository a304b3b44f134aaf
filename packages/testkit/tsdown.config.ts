import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({ ...shared, entry: { index: "src/index.ts", samples: "src/samples.ts" } })
