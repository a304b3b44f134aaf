import shared from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

// What is published is tested too: it is built before the tests.
export default mergeConfig(shared, { test: { include: ["ondemand/*.test.ts"], globalSetup: "test/support/build.ts" } })
