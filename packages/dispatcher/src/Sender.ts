import type { AttemptOutcome, AttemptResponse, HeaderList, Instant } from "@tapedeck/domain"
import { Context, type Effect } from "effect"

/** One signed request, as it goes over the wire. */
export interface WebhookRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names. Host, length and connection headers are the transport's. */
  readonly headers: HeaderList
  readonly body: Uint8Array
  /** The same as the text that it is, for who keeps it: attempts of one delivery share it. */
  readonly text: string
}

export interface SendOptions {
  readonly startedAt: Instant
  /** Covers everything from DNS to the last byte that is read (W4). */
  readonly timeoutMs: number
  /** Called once the request goes on the wire: from then on a receiver may have acted on it. */
  readonly onSent?: () => void
  /** Called with an answer that `send` reports later, so that an attempt that is interrupted in between still has it. */
  readonly onAnswered?: (answer: Answer) => void
}

/** What came back, or at which stage nothing did. */
export interface Answer {
  readonly outcome: AttemptOutcome
  readonly statusCode: number | null
  readonly response: AttemptResponse | null
  readonly error: string | null
  /** When the attempt ends, if that is known before it comes (virtual time); else it has ended. */
  readonly endsAt?: Instant
}

/** Puts a request on the wire. Never fails: not getting through is an answer too. */
export class Sender extends Context.Service<
  Sender,
  {
    readonly send: (request: WebhookRequest, options: SendOptions) => Effect.Effect<Answer>
  }
>()("@tapedeck/dispatcher/Sender") {}

/** An attempt that had no whole answer within its time; with the status that had come, if any (W4). */
export const timedOut = (afterMs: number, statusCode: number | null = null): Answer => ({
  outcome: "timeout",
  statusCode,
  response: null,
  error: `timed out after ${afterMs} ms`
})
