import shared from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

export default mergeConfig(shared, {
  test: {
    // What is published is tested too: it is built before the tests.
    include: ["ondemand/*.test.ts"],
    globalSetup: "test/support/build.ts",
    // The tests count the calls of WebCrypto, which the loaded module keeps.
    isolate: true,
    // They replace modules.
    experimental: { viteModuleRunner: true }
  }
})
