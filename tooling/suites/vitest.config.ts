import base from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

export default mergeConfig(base, {
  test: { globalSetup: ["../../tooling/tsconfig/builtCommands.ts", "test/packages/tarballs.ts"] }
})
