import { cutToUtf8Length, utf8Length } from "../utf8.ts"
import type { AttemptResponse } from "./Attempt.ts"
import type { Delivery } from "./Delivery.ts"

/**
 * Maximum size of a delivery's body in lists, and of all bodies of its responses together, in UTF-8 bytes. It keeps a page of 100
 * deliveries at a few megabytes.
 */
export const MAX_LISTED_BODY_BYTES = 64 * 1024

/** A delivery in a list. */
export interface ListedDelivery extends Delivery {
  /** True if `body` was cut. */
  readonly isBodyCut: boolean
}

/**
 * Cuts the body of a delivery to `MAX_LISTED_BODY_BYTES`, and so the bodies of all its responses together, starting with the latest. The
 * body may be incomplete if it is longer than that.
 */
export const listedDelivery = (delivery: Delivery): ListedDelivery => {
  const body = cutToUtf8Length(delivery.body, MAX_LISTED_BODY_BYTES)
  let left = MAX_LISTED_BODY_BYTES
  const attempts = delivery.attempts.toReversed().map((attempt) => {
    if (attempt.response === null) return attempt
    const response = cutResponse(attempt.response, left)
    left -= utf8Length(response.body)
    return response === attempt.response ? attempt : { ...attempt, response }
  })
  return { ...delivery, body, isBodyCut: body !== delivery.body, attempts: attempts.toReversed() }
}

const cutResponse = (response: AttemptResponse, maxBytes: number): AttemptResponse => {
  const body = cutToUtf8Length(response.body, maxBytes)
  return body === response.body ? response : { ...response, body, truncated: true }
}
