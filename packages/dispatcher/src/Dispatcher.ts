import type { AttemptOutcome, Delivery, Instant } from "@tapedeck/domain"
import type { AnyDelivery, AttemptResult, Claim, DeliveryQueue } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import {
  afterAttempt,
  attemptFields,
  attempting,
  isSent,
  lost,
  makeAttemptSender,
  moved,
  type SenderOptions
} from "./attempt.ts"
import { memoized } from "./memoized.ts"
import { withNow } from "./now.ts"
import { retryQueueCall } from "./retryQueueCall.ts"

/** An attempt, as the driver sees it. `outcome` is null until the attempt has ended. */
export interface PerformedAttempt<D extends AnyDelivery = Delivery> {
  readonly delivery: D
  readonly attempt: number
  readonly elapsedMs: number
  readonly outcome: AttemptOutcome | null
  readonly statusCode: number | null
}

/** Interface between an attempt and its driver. */
export interface AttemptSlot {
  /** Returns whether the attempt may be sent to this host; false if the host has its maximum number of attempts, or the claim must be returned. */
  readonly admit: (host: string) => boolean
  /**
   * Called when the attempt no longer needs its slot: after a response, after a failure, or if nothing is sent. Another attempt can use the
   * slot while the outcome is recorded.
   */
  readonly leave: (after: "answer" | "failure" | "nothing") => void
}

/** Makes the attempts of deliveries: selects the target, signs, checks the guard, sends, evaluates, records. */
export interface Dispatcher<D extends AnyDelivery = Delivery> {
  readonly queue: DeliveryQueue<D>
  /**
   * Makes the claimed attempt, or records the attempt whose end has come. Returns null if the claim was lost, cancelled or returned:
   * because `slot` did not admit its host, or because of an interruption before the request was sent. After a later interruption, the
   * attempt is a failed one, because the receiver may have acted on it. A failed call of the queue is retried until it succeeds, or until
   * the caller interrupts it.
   */
  readonly perform: (claim: Claim<D>, slot?: AttemptSlot) => Effect.Effect<PerformedAttempt<D> | null>
}

/** Creates a dispatcher for the deliveries of a queue. It sends with `Sender` if `Guard` permits it. */
export const makeDispatcher = Effect.fnUntraced(function* <D extends AnyDelivery>(
  queue: DeliveryQueue<D>,
  options: SenderOptions
) {
  const send = yield* makeAttemptSender(options)

  /** Writes the new state of the delivery with the present instant, however late the write succeeds, if the claim is still valid. */
  const settle = (claim: Claim<D>, after: (delivery: D, at: Instant) => D) =>
    withNow((endedAt) => {
      let isVain = false
      const becomes: typeof after = (delivery, at) => {
        try {
          return after(delivery, Math.min(at, endedAt) as Instant)
        } catch (defect) {
          isVain = true
          throw defect
        }
      }
      return retryQueueCall(queue.settle(claim, becomes), {
        fields: () => attemptFields(claim),
        isVain: () => isVain
      })
    })

  const record = (claim: Claim<D>, result: AttemptResult) =>
    Effect.flatMap(
      settle(claim, (delivery, at) => afterAttempt(delivery, result, at)),
      (after) => (after === null ? foundRecorded(claim, result) : Effect.succeed(performed(claim, after, result)))
    )

  /** Returns the recorded delivery if only the reply of the queue was lost. Otherwise the claim and its outcome are lost. */
  const foundRecorded = Effect.fnUntraced(function* (claim: Claim<D>, result: AttemptResult) {
    const { id } = claim.delivery
    const found = yield* retryQueueCall(queue.byId(id), { fields: () => attemptFields(claim) })
    const after = found === undefined ? null : upTo(claim, found, result)
    if (after !== null) return performed(claim, after, result)
    yield* Effect.logWarning("attempt ended after its claim was lost: nothing is recorded of it", attemptFields(claim))
    return null
  })

  /** Records a result now, or at its end. */
  const recordAt = (claim: Claim<D>, result: AttemptResult, endsAt: Instant) =>
    withNow((at) =>
      endsAt > at
        ? Effect.as(queue.hold(claim, result, endsAt), performed(claim, claim.delivery, null))
        : record(claim, result)
    )

  const giveBack = (claim: Claim<D>) => Effect.as(settle(claim, givenBack), null)

  const callOff = (claim: Claim<D>) =>
    Effect.andThen(
      Effect.logInfo("delivery is cancelled: its receiver is removed or not enabled", attemptFields(claim)),
      Effect.as(settle(claim, calledOff), null)
    )

  const attempted = (claim: Claim<D>, slot: AttemptSlot | undefined): Effect.Effect<PerformedAttempt<D> | null> => {
    const { delivery, receiver } = claim
    if (!isSent(delivery, receiver)) return callOff(claim)
    if (slot?.admit(hostOf(receiver.url)) === false) {
      slot.leave("nothing")
      return giveBack(claim)
    }
    return Effect.flatMapEager(send(delivery, receiver), (attempt) => {
      if (attempt._tag === "CutOff") {
        const settled = attempt.result === null ? giveBack(claim) : record(claim, attempt.result)
        // The interruption goes on: who made the attempt makes no other one.
        return Effect.andThen(settled, Effect.interrupt)
      }
      const { endsAt, result } = attempt
      slot?.leave(result.error === null ? "answer" : "failure")
      return endsAt === undefined ? record(claim, result) : recordAt(claim, result, endsAt)
    })
  }

  const perform = (claim: Claim<D>, slot: AttemptSlot | undefined): Effect.Effect<PerformedAttempt<D> | null> => {
    if (claim.reason === "due") return attempted(claim, slot)
    slot?.leave("nothing")
    if (claim.result !== null) return record(claim, claim.result)
    return Effect.andThen(
      Effect.logWarning("attempt was lost with its worker: it counts as failed", attemptFields(claim)),
      record(claim, lost)
    )
  }

  const dispatcher: Dispatcher<D> = {
    queue,
    perform: (claim, slot) => Effect.uninterruptible(Effect.suspend(() => perform(claim, slot)))
  }
  return dispatcher
})

/** Returns the cancelled delivery: the receiver was deleted, and the attempt ends unsent. */
const calledOff = <D extends AnyDelivery>(delivery: D, at: Instant): D =>
  moved(moved(delivery, { _tag: "CancelRequested", at }), { _tag: "AttemptGivenBack", at })

const givenBack = <D extends AnyDelivery>(delivery: D, at: Instant): D =>
  moved(delivery, { _tag: "AttemptGivenBack", at })

/** Returns the delivery up to the claimed attempt, if that is recorded, but not as `lost`, which another worker wrote. */
const upTo = <D extends AnyDelivery>(claim: Claim<D>, delivery: D, { outcome }: AttemptResult): D | null => {
  const { attempt, startedAt } = attempting(claim.delivery)
  const index = delivery.attempts.findIndex(
    (one) => one.attempt === attempt && one.at === startedAt && one.outcome === outcome
  )
  return index < 0 ? null : { ...delivery, attempts: delivery.attempts.slice(0, index + 1) }
}

/** Returns the host for the limit of attempts per host; the URL itself if it is malformed. */
const hostOf = memoized((url): string => (URL.canParse(url) ? new URL(url).host : url))

const performed = <D extends AnyDelivery>(
  claim: Claim<D>,
  delivery: D,
  result: AttemptResult | null
): PerformedAttempt<D> => {
  const { attempt, firstAttemptAt, startedAt } = attempting(claim.delivery)
  return {
    delivery,
    attempt,
    elapsedMs: startedAt - firstAttemptAt,
    outcome: result?.outcome ?? null,
    statusCode: result?.statusCode ?? null
  }
}
