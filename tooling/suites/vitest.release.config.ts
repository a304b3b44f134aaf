import { mergeConfig } from "vitest/config"
import config from "./vitest.config.ts"

// `pnpm release:check`: the tests of the packed packages, and those that only a release needs.
export default mergeConfig(config, { test: { include: ["test/packages/*.check.ts"] } })
