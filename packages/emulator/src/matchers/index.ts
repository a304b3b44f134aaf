import type { Secrets } from "@tapedeck/signing"
import type { Elapsed } from "./elapsed.ts"
import type { ExpectedOutcome } from "./schedule.ts"
import type { SignatureOptions } from "./signatures.ts"

export { toHaveAttemptsAt, toHaveOutcomes } from "./schedule.ts"
export { toHaveValidSignatures } from "./signatures.ts"
export { toBeCancelled, toBeDelivered, toBePermanentlyFailed } from "./states.ts"
export type { Elapsed, ExpectedOutcome, SignatureOptions }

/** The matchers of a test. Matchers of deliveries accept one delivery or a list, in which each must match. */
export interface EmulatorMatchers<R> {
  /** For a delivery or a sink: attempts were made at exactly these times after the first one (`"0"`, `"1m"`, `"2h 36m"`, milliseconds). */
  toHaveAttemptsAt: (...elapsed: ReadonlyArray<Elapsed>) => R
  /** For a delivery: its attempts ended with exactly these outcomes (`"timeout"`) or statuses (`500`). */
  toHaveOutcomes: (...outcomes: ReadonlyArray<ExpectedOutcome>) => R
  /** For a delivery: it was delivered. */
  toBeDelivered: () => R
  /** For a delivery: it failed permanently, after its last retry. */
  toBePermanentlyFailed: () => R
  /** For a delivery: it was cancelled before it ended. */
  toBeCancelled: () => R
  /**
   * For a delivery, a sink, or requests `{ headers, body }` of a receiver: each request has the signature of the vendor (or of an audit
   * destination) and that of Standard Webhooks, made with the secret (or with one of several).
   */
  toHaveValidSignatures: (secret: Secrets, options?: SignatureOptions) => R
}
