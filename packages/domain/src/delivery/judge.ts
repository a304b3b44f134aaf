import * as Schema from "effect/Schema"
import type { Instant } from "../time.ts"
import type { Attempt, AttemptOutcome } from "./Attempt.ts"
import type { DeliveryEvent } from "./stateSchema.ts"

/** The outcome of an attempt that got a response in time: only 2xx is a success, a redirect is not. */
export const outcomeOfStatus = (statusCode: number): "success" | "failure" =>
  statusCode >= 200 && statusCode <= 299 ? "success" : "failure"

/** What an attempt that ended so means to its delivery. */
export const eventOfOutcome = (outcome: AttemptOutcome, at: Instant): DeliveryEvent =>
  outcome === "success" ? { _tag: "AttemptSucceeded", at } : { _tag: "AttemptFailed", at }

/** What a send-test reports. */
export const TestResult = Schema.Literals(["success", "warning", "failed"])
export type TestResult = typeof TestResult.Type

/** The first that holds of: 2xx, success; any other status with a body, warning; else failed. */
export const testResult = ({ outcome, response }: Pick<Attempt, "outcome" | "response">): TestResult => {
  if (outcome === "success") return "success"
  return outcome === "failure" && response !== null && response.body !== "" ? "warning" : "failed"
}
