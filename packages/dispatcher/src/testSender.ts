import { findReceiver, now, Store, TestSender } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { afterAttempt, attemptSender, isSent, moved } from "./attempt.ts"

/** Makes the one attempt of a send-test at once, as every other attempt: signed, checked by the guard, judged. */
export const layerTestSender = Layer.effect(
  TestSender,
  Effect.gen(function* () {
    const send = yield* attemptSender
    const store = yield* Store

    return TestSender.of({
      send: Effect.fnUntraced(function* (delivery) {
        const started = moved(delivery, { _tag: "AttemptStarted", at: yield* now })
        const receiver = yield* findReceiver(store, delivery)
        if (!isSent(started, receiver)) return null
        const { endsAt, result } = yield* send(started, receiver, { sent: Effect.succeed, cutOff: () => Effect.void })
        const at = yield* now
        return afterAttempt(started, result, endsAt !== undefined && endsAt > at ? endsAt : at)
      })
    })
  })
)
