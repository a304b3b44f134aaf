import { type Delivery, type TestVerdict, testVerdict } from "@tapedeck/domain"
import { Effect } from "effect"
import { Store } from "../Store.ts"
import { TestSender } from "./TestSender.ts"

/** What a send-test reports, and the delivery that it was, as the log keeps it (W9). */
export interface SentTest {
  readonly verdict: TestVerdict
  readonly delivery: Delivery
}

/**
 * Sends a test delivery and logs it. What was sent is in the log even if whoever asked has gone meanwhile. Null when
 * there is nobody to send to any more.
 */
export const testRunner = Effect.gen(function* () {
  const store = yield* Store
  const sender = yield* TestSender
  return (delivery: Delivery): Effect.Effect<SentTest | null> =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        if (delivery.error !== undefined) {
          yield* store.deliveries.insert(delivery)
          return { verdict: "failed", delivery }
        }
        const sent = yield* sender.send(delivery)
        const attempt = sent?.attempts.at(-1)
        if (sent === null || attempt === undefined) return null
        yield* store.deliveries.insert(sent)
        return { verdict: testVerdict(attempt), delivery: sent }
      })
    )
})
