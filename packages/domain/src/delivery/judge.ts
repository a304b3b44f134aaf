import * as Schema from "effect/Schema"
import type { Instant } from "../time.ts"
import type { Attempt, AttemptOutcome } from "./Attempt.ts"
import type { DeliveryEvent } from "./stateSchema.ts"

/** Returns the outcome of an attempt that got a response in time. Only 2xx is a success; a redirect is a failure. */
export const outcomeOfStatus = (statusCode: number): "success" | "failure" =>
  statusCode >= 200 && statusCode <= 299 ? "success" : "failure"

/** Returns the event of a delivery whose attempt ended with this outcome. */
export const eventOfOutcome = (outcome: AttemptOutcome, at: Instant): DeliveryEvent =>
  outcome === "success" ? { _tag: "AttemptSucceeded", at } : { _tag: "AttemptFailed", at }

/** Result of a send-test. */
export const TestResult = Schema.Literals(["success", "warning", "failed"])
export type TestResult = typeof TestResult.Type

/** Returns the result of a send-test: `success` for 2xx, `warning` for another status with a body, else `failed`. */
export const testResult = ({ outcome, response }: Pick<Attempt, "outcome" | "response">): TestResult => {
  if (outcome === "success") return "success"
  return outcome === "failure" && response !== null && response.body !== "" ? "warning" : "failed"
}
