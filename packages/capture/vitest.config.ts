import shared from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

export default mergeConfig(shared, {
  test: {
    // The tests load modules anew.
    experimental: { viteModuleRunner: true }
  }
})
