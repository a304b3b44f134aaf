import type { AttemptResult } from "@tapedeck/core"
import type { Attempt, AttemptRequest } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Secrets } from "./secrets.ts"

/**
 * What is kept of a request: its headers sealed, since the custom ones' values are secrets (S3); no body where it is the
 * delivery's own, as it almost always is.
 */
interface KeptRequest extends Omit<AttemptRequest, "headers" | "body"> {
  readonly headers: string
  readonly body?: string
}

export type KeptAttempt<A extends { readonly request: AttemptRequest }> = Omit<A, "request"> & {
  readonly request: KeptRequest
}

/** Attempts, and results that are to become one, as text to keep; `body` is the delivery's. */
export const makeAttemptTexts = (secrets: Secrets) => ({
  encode: <A extends AttemptResult>(attempt: A, body: string): Effect.Effect<string> => {
    const { body: sent, headers, ...request } = attempt.request
    return Effect.map(secrets.seal(headers), (sealed) => {
      const kept: KeptRequest = { ...request, headers: sealed, ...(sent === body ? {} : { body: sent }) }
      return JSON.stringify({ ...attempt, request: kept })
    })
  },
  decode: <A extends AttemptResult = Attempt>(text: string, body: string): Effect.Effect<A> => {
    const attempt = JSON.parse(text) as KeptAttempt<A>
    return Effect.map(secrets.open<AttemptRequest["headers"]>(attempt.request.headers), (headers) => {
      const { body: sent = body, method, url } = attempt.request
      return { ...attempt, request: { method, url, headers, body: sent } } as unknown as A
    })
  }
})
export type AttemptTexts = ReturnType<typeof makeAttemptTexts>
