import { findReceiver, now, ServiceConfig, Store, TestSender } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { afterAttempt, attemptSender, moved } from "./attempt.ts"
import { targetOf } from "./target.ts"

/** Makes the one attempt of a send-test at once, as every other attempt: signed, checked by the guard, judged (W9). */
export const layerTestSender = Layer.effect(
  TestSender,
  Effect.gen(function* () {
    const send = yield* attemptSender
    const store = yield* Store
    const config = yield* ServiceConfig

    return TestSender.of({
      send: Effect.fnUntraced(function* (delivery) {
        const started = moved(delivery, { _tag: "AttemptStarted", at: yield* now })
        const target = targetOf(started, yield* findReceiver(store, delivery), config)
        if (target === null) return null
        const { endsAt, result } = yield* send(started, target, { sent: Effect.succeed, cutOff: () => Effect.void })
        const at = yield* now
        return afterAttempt(started, result, endsAt !== undefined && endsAt > at ? endsAt : at)
      })
    })
  })
)
