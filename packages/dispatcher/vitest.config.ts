import shared from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

/** The test files share what they import: loading it takes longer than running them, and what one of them sets it sets back. */
export default mergeConfig(shared, { test: { isolate: false } })
