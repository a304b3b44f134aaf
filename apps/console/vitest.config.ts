import shared from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

/** All files share one emulator. A process for each core has a browser with a tab, which all of its tests use. */
export default mergeConfig(shared, {
  test: {
    globalSetup: "test/support/globalSetup.ts"
  }
})
