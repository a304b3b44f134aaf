import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({ ...shared, entry: ["src/index.ts", "src/network.ts"] })
