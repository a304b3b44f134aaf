import base from "@tapedeck/tsconfig/vitest.ts"
import { mergeConfig } from "vitest/config"

/** A JVM of these tests ends before what it compiles a second time pays off: half of its processor time. */
const env = { JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" }

export default mergeConfig(base, {
  test: { env, globalSetup: ["../../tooling/tsconfig/builtCommands.ts", "test/packages/tarballs.ts"] }
})
