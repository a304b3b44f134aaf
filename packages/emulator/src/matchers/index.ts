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
  /** Passes if the attempts of a delivery or a sink were made at exactly these times after the first one (`"0"`, `"1m"`, `"2h 36m"`, milliseconds). */
  toHaveAttemptsAt: (...elapsed: ReadonlyArray<Elapsed>) => R
  /** Passes if the attempts of a delivery ended with exactly these outcomes (`"timeout"`) or statuses (`500`). */
  toHaveOutcomes: (...outcomes: ReadonlyArray<ExpectedOutcome>) => R
  /** Passes if a delivery was delivered. */
  toBeDelivered: () => R
  /** Passes if a delivery failed permanently, after its last retry. */
  toBePermanentlyFailed: () => R
  /** Passes if a delivery was cancelled before it ended. */
  toBeCancelled: () => R
  /**
   * Passes if each request of a delivery or a sink, or each of a receiver's requests `{ headers, body }`, has the signature of the
   * vendor (or of an audit destination) and that of Standard Webhooks, made with the secret (or with one of several).
   */
  toHaveValidSignatures: (secret: Secrets, options?: SignatureOptions) => R
}
