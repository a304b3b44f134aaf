import { oneChecker } from "@tapedeck/tsconfig/compiler.ts"

/** Options of TypeScript 7 in a test, which reads its messages. */
export const inOneChecker = ["--pretty", "false", ...oneChecker]

/**
 * The TypeScript versions of a run, out of all supported ones in ascending order: the oldest and the newest; all in
 * `pnpm release:check`, as each takes long.
 */
export const compilersOf = (supported: ReadonlyArray<string>): ReadonlyArray<string> =>
  process.env.TAPEDECK_RELEASE_CHECK === "1" ? supported : [supported.at(0)!, supported.at(-1)!]
