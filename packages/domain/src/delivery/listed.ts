import { cutToUtf8Length, utf8Length } from "../utf8.ts"
import type { AttemptResponse } from "./Attempt.ts"
import type { Delivery } from "./Delivery.ts"

/**
 * Maximum size of a delivery's body in lists, and of its responses' bodies together, in UTF-8 bytes: a page of a hundred
 * deliveries stays a few megabytes, however large the bodies are.
 */
export const MAX_LISTED_BODY_BYTES = 64 * 1024

/** A delivery as lists give it. */
export interface ListedDelivery extends Delivery {
  /** Whether `body` is only the beginning of what is sent. */
  readonly isBodyCut: boolean
}

/**
 * Cuts the body of a delivery, and its responses' bodies together, the latest first, to `MAX_LISTED_BODY_BYTES`. The body
 * may be given without its end, as long as it is longer than that.
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
