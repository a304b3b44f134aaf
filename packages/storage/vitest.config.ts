import shared from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

/** The test files share what they import: loading it takes longer than running them, and none of them changes it. */
export default mergeConfig(shared, { test: { isolate: false } })
