import type {} from "expect"
import type { EmulatorMatchers } from "./matchers/index.ts"

/**
 * The matchers for jest: `expect.extend(matchers)`, where `matchers` is all that this module exports. They are plain functions that
 * load neither the emulator nor jest, and accept values of `startEmulator` as well as values that came over HTTP.
 */
export * from "./matchers/index.ts"

/** Types of the matchers for users who import `expect` from `@jest/globals`. */
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends EmulatorMatchers<R> {}
}
