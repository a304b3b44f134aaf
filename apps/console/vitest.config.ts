import shared from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

/** All files share one browser and one emulator. A process for each core has a tab of its own, which all of its tests use. */
export default mergeConfig(shared, {
  test: {
    globalSetup: "test/support/globalSetup.ts"
  }
})
