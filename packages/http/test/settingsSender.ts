import { TestSender } from "@tapedeck/core"
import type { AttemptOutcome, Delivery, Instant } from "@tapedeck/domain"
import { outcomeOfStatus } from "@tapedeck/domain/internal/delivery"
import { Effect, Layer } from "effect"

/** What the receiver of a send-test does: it answers, or how it does not. */
export type Received =
  | { readonly status: number; readonly body?: string }
  | Exclude<AttemptOutcome, "success" | "failure">

/** Takes the dispatcher's place: finishes send-tests as told, and keeps what came. */
export const recordedTestSender = (answer: () => Received) => {
  const sent: Array<Delivery> = []
  const send = (delivery: Delivery) =>
    Effect.sync(() => {
      sent.push(delivery)
      return finished(delivery, answer())
    })
  return { sent, layer: Layer.succeed(TestSender, TestSender.of({ send })) }
}

const finished = (delivery: Delivery, received: Received): Delivery => {
  const at: Instant = delivery.createdAt
  const outcome = typeof received === "string" ? received : outcomeOfStatus(received.status)
  return {
    ...delivery,
    state: outcome === "success" ? { _tag: "Delivered", at } : { _tag: "PermanentlyFailed", at },
    attempts: [
      {
        attempt: 1,
        at,
        elapsedMs: 0,
        endedAt: at,
        outcome,
        statusCode: typeof received === "string" ? null : received.status,
        request: { method: "POST", url: "https://receiver.test/", headers: [] },
        response: typeof received === "string" ? null : { headers: [], body: received.body ?? "", truncated: false },
        error: typeof received === "string" ? received : null
      }
    ]
  }
}
