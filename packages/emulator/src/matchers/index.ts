import type { Secrets } from "@tapedeck/signing"
import type { Elapsed } from "./elapsed.ts"
import type { ExpectedOutcome } from "./schedule.ts"
import type { SignatureOptions } from "./signatures.ts"

export { toHaveAttemptsAt, toHaveOutcomes } from "./schedule.ts"
export { toHaveValidSignatures } from "./signatures.ts"
export { toBeCancelled, toBeDelivered, toBePermanentlyFailed } from "./states.ts"
export type { Elapsed, ExpectedOutcome, SignatureOptions }

/** The matchers as a test calls them. Matchers of deliveries take one or a list, in which each must match. */
export interface EmulatorMatchers<R> {
  /** A delivery or a sink: attempts were made at exactly these times after the first one (`"0"`, `"1m"`, `"2h 36m"`, ms). */
  toHaveAttemptsAt: (...elapsed: ReadonlyArray<Elapsed>) => R
  /** A delivery: its attempts ended exactly like this, by name (`"timeout"`) or by status (`500`). */
  toHaveOutcomes: (...outcomes: ReadonlyArray<ExpectedOutcome>) => R
  /** A delivery that was delivered. */
  toBeDelivered: () => R
  /** A delivery that failed permanently, after its last retry. */
  toBePermanentlyFailed: () => R
  /** A delivery that was cancelled before it ended. */
  toBeCancelled: () => R
  /**
   * A delivery, a sink, or requests `{ headers, body }` of a receiver: each has the vendor's signature (or an audit destination's)
   * and that of Standard Webhooks, made with the secret (or with one of several).
   */
  toHaveValidSignatures: (secret: Secrets, options?: SignatureOptions) => R
}
