import base from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

export default mergeConfig(base, {
  test: {
    globalSetup: ["../../tooling/tsconfig/builtCommands.ts"],
    // Its tests wait for other processes most of the time, and it is the last package that is tested.
    maxWorkers: "150%"
  }
})
