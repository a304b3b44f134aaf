import { keepsCompiled } from "@tapedeck/tsconfig/builtCommands.ts"
import base from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

// The generators of clients, TypeScript and Redocly are started for each document.
export default mergeConfig(base, { test: { env: keepsCompiled } })
