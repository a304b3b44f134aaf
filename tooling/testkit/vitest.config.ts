import base from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

export default mergeConfig(base, {
  test: {
    globalSetup: ["../../tooling/tsconfig/builtServer.ts"],
    // The longest of all suites: it goes on alone when the others have ended. Its files wait for processes that they start.
    maxWorkers: 3
  }
})
