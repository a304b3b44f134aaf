import base from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"
import { plantedFault, variable } from "./src/faults/plantedFault.ts"

const fault = process.env[variable]

export default mergeConfig(base, {
  plugins: fault === undefined ? [] : [plantedFault(JSON.parse(fault))],
  test: {
    globalSetup: ["../../tooling/tsconfig/builtCommands.ts"]
  }
})
