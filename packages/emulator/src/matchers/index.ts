import type { Secrets } from "@tapedeck/signing"
import type { Elapsed } from "./elapsed.ts"
import type { ExpectedOutcome } from "./schedule.ts"
import type { SignatureOptions } from "./signatures.ts"

export { toHaveAttemptsAt, toHaveOutcomes } from "./schedule.ts"
export { toHaveValidSignatures } from "./signatures.ts"
export { toBeCancelled, toBeDelivered, toBePermanentlyFailed } from "./states.ts"
export type { Elapsed, ExpectedOutcome, SignatureOptions }

/** The matchers as a test calls them. Those of deliveries take one, or a list in which each must hold. */
export interface EmulatorMatchers<R> {
  /** A delivery or a sink: every attempt was made so long after the first one (`"0"`, `"1m"`, `"2h 36m"`, ms), and no other. */
  toHaveAttemptsAt: (...elapsed: ReadonlyArray<Elapsed>) => R
  /** A delivery: its attempts ended like this, by name (`"timeout"`) or by status (`500`), and there was no other. */
  toHaveOutcomes: (...outcomes: ReadonlyArray<ExpectedOutcome>) => R
  /** A delivery that was delivered. */
  toBeDelivered: () => R
  /** A delivery that was given up after its last retry. */
  toBePermanentlyFailed: () => R
  /** A delivery that was called off before it came to an end (W11). */
  toBeCancelled: () => R
  /**
   * A delivery, a sink, or requests `{ headers, body }` as a receiver got them: each has the vendor's signature (or an audit
   * destination's) and that of Standard Webhooks, made with the secret (or with one of several).
   */
  toHaveValidSignatures: (secret: Secrets, options?: SignatureOptions) => R
}
