import * as Result from "effect/Result"
import type { Delivery } from "../delivery/Delivery.ts"
import { hasVariables, parseUrlTemplate, renderUrl } from "../template/urlTemplate.ts"
import type { Receiver } from "./Receiver.ts"

/**
 * Returns the automation's receiver for one delivery: its present URL with the values of the event. A URL that was changed since
 * the event, and needs a value that the delivery does not have, is a problem.
 */
export const addressedTo = (receiver: Receiver, { urlValues = {} }: Pick<Delivery, "urlValues">): Receiver => {
  if (!hasVariables(receiver.url)) return receiver
  const parsed = parseUrlTemplate(receiver.url)
  // A URL is checked when it is saved, but an older program may have accepted it.
  if (Result.isFailure(parsed)) return { ...receiver, urlProblem: "the URL has variables that are not valid" }
  const rendered = renderUrl(parsed.success, urlValues)
  if ("url" in rendered) return { ...receiver, url: rendered.url }
  const urlProblem =
    "missing" in rendered
      ? `the URL needs ${rendered.missing.join(", ")}, which it did not need at the time of the event`
      : rendered.problem
  return { ...receiver, urlProblem }
}
