import type { Receiver } from "@tapedeck/domain"
import type { AnyDelivery } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import { afterAttempt, isSent, makeAttemptSender, moved, type SenderOptions } from "./attempt.ts"
import { now } from "./now.ts"

/**
 * Creates a function that makes the single attempt of a send-test at once, signed and checked by the guard like any attempt. The delivery
 * is not stored. An end in the virtual future is returned at once. Returns null if there is no receiver.
 */
export const makeTestSender = Effect.fnUntraced(function* <D extends AnyDelivery>(
  receiverOf: (delivery: D) => Effect.Effect<Receiver | null>,
  options: SenderOptions
) {
  const send = yield* makeAttemptSender(options)

  return Effect.fnUntraced(function* (delivery: D) {
    const started = moved(delivery, { _tag: "AttemptStarted", at: yield* now })
    const receiver = yield* receiverOf(delivery)
    if (!isSent(started, receiver)) return null
    const attempt = yield* send(started, receiver)
    if (attempt._tag === "CutOff") return yield* Effect.interrupt
    const { endsAt, result } = attempt
    const at = yield* now
    return afterAttempt(started, result, endsAt !== undefined && endsAt > at ? endsAt : at)
  })
})
