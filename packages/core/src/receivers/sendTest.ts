import type { Delivery } from "@tapedeck/domain"
import { type TestResult, testResult } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import { deliveryChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { TestSender } from "./TestSender.ts"

/** The result of a send-test, and its logged delivery (W9). */
export interface SentTest {
  readonly result: TestResult
  readonly delivery: Delivery
}

/**
 * Sends a test delivery and logs it, even if the request is cancelled meanwhile. Null if its receiver was removed.
 */
export const testRunner = Effect.gen(function* () {
  const store = yield* storeOf("changes", "deliveries")
  const sender = yield* TestSender
  const log = (delivery: Delivery) =>
    Effect.andThen(store.deliveries.insert(delivery), store.changes.publishOnCommit(deliveryChange(delivery)))
  return (delivery: Delivery): Effect.Effect<SentTest | null> =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        if (delivery.error !== undefined || delivery.skipped !== undefined) {
          yield* log(delivery)
          return { result: "failed", delivery }
        }
        const sent = yield* sender.send(delivery)
        const attempt = sent?.attempts.at(-1)
        if (sent === null || attempt === undefined) return null
        yield* log(sent)
        return { result: testResult(attempt), delivery: sent }
      })
    )
})
