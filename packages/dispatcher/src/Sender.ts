import type { AttemptOutcome, AttemptResponse, HeaderList, Instant } from "@tapedeck/domain"
import { Context, type Effect } from "effect"

/** One signed request. */
export interface WebhookRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names. Host, length and connection headers are the transport's. */
  readonly headers: HeaderList
  readonly body: Uint8Array
  /** The body as text, which the attempts of one delivery share. */
  readonly text: string
}

export interface SendOptions {
  /** Start of the attempt, in milliseconds since 1970. */
  readonly startedAt: number
  /** Maximum time from DNS to the last byte that is read, in milliseconds. */
  readonly timeoutMs: number
  /** Called when the request is sent. From then on, the receiver may have acted on it. */
  readonly onSent?: () => void
  /** Called with the answer before `send` returns it, so that an attempt that is interrupted in between has it. */
  readonly onAnswered?: (answer: Answer) => void
}

/** The response, or the stage at which the request failed. */
export interface Answer {
  readonly outcome: AttemptOutcome
  readonly statusCode: number | null
  readonly response: AttemptResponse | null
  readonly error: string | null
  /** End of the attempt, if it is in the future (in virtual time). */
  readonly endsAt?: Instant
}

/** Sends requests. Never fails: an error is an answer, too. */
export class Sender extends Context.Service<
  Sender,
  {
    readonly send: (request: WebhookRequest, options: SendOptions) => Effect.Effect<Answer>
  }
>()("@tapedeck/dispatcher/Sender") {}

/** Returns the answer of an attempt that a guard blocked. */
export const notSent = (reason: string): Answer => ({
  outcome: "blocked",
  statusCode: null,
  response: null,
  error: reason
})

/** Returns the answer of an attempt without a complete response before its deadline, with the status if it was received. */
export const timedOut = (afterMs: number, statusCode: number | null = null): Answer => ({
  outcome: "timeout",
  statusCode,
  response: null,
  error: `timed out after ${afterMs} ms`
})
