import base from "@tapedeck/tsconfig/vitest.ts"

/** Suites that a test runs in a process of their own. */
export default { ...base, test: { ...base.test, include: ["*.suite.ts"], reporters: ["verbose"] } }
