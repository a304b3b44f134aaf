import type {} from "expect"
import type { EmulatorMatchers } from "./matchers/index.ts"

/**
 * The matchers for jest: `expect.extend(matchers)`, where `matchers` is all that this module exports. Plain functions that
 * load neither the emulator nor jest: they judge what `startEmulator` gives as well as what came over HTTP.
 */
export * from "./matchers/index.ts"

/** For who imports `expect` from `@jest/globals`. */
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends EmulatorMatchers<R> {}
}

/** For who has `@types/jest`. */
declare global {
  namespace jest {
    interface Matchers<R, T = {}> extends EmulatorMatchers<R> {}
  }
}
