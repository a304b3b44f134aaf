import { builtCommands } from "@tapedeck/tsconfig/builtCommands.ts"
import base from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

export default mergeConfig(base, { test: builtCommands })
