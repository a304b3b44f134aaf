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

/** One attempt as a driver sees it. `outcome` is null while its end is still to come. */
export interface PerformedAttempt<D extends AnyDelivery = Delivery> {
  readonly delivery: D
  readonly attempt: number
  readonly elapsedMs: number
  readonly outcome: AttemptOutcome | null
  readonly statusCode: number | null
}

/** What an attempt asks of the driver that runs it, and reports to it. */
export interface AttemptSlot {
  /** Whether the attempt may go to this host; false if the host has its maximum number of attempts, or the claim is to be given back. */
  readonly admit: (host: string) => boolean
  /**
   * The attempt needs its slot no more: the receiver has answered, or failed to answer completely, or nothing is sent. The slot may
   * serve another attempt while the outcome is recorded.
   */
  readonly leave: (after: "answer" | "failure" | "nothing") => void
}

/** Takes deliveries through their attempts: target, sign, guard, send, judge, record. They were rendered before. */
export interface Dispatcher<D extends AnyDelivery = Delivery> {
  readonly queue: DeliveryQueue<D>
  /**
   * Makes the claimed attempt, or records the one whose end has come. Null if the claim was lost, called off or given back:
   * because `slot` did not admit its host, or because it was interrupted before anything was sent. What was interrupted later
   * is a failed attempt: the receiver may have acted on it. A call of the queue that fails is retried until it succeeds, or
   * until the caller interrupts it.
   */
  readonly perform: (claim: Claim<D>, slot?: AttemptSlot) => Effect.Effect<PerformedAttempt<D> | null>
}

/** A dispatcher of a queue's deliveries. It sends by `Sender`, where `Guard` permits it. */
export const makeDispatcher = Effect.fnUntraced(function* <D extends AnyDelivery>(
  queue: DeliveryQueue<D>,
  options: SenderOptions
) {
  const send = yield* makeAttemptSender(options)

  /** Writes what the delivery becomes, if the claim is still ours: now, however late it can be written. */
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

  /** It was recorded, if only the queue's reply was lost. Else the claim was lost, and its outcome with it. */
  const foundRecorded = Effect.fnUntraced(function* (claim: Claim<D>, result: AttemptResult) {
    const { id } = claim.delivery
    const found = yield* retryQueueCall(queue.byId(id), { fields: () => attemptFields(claim) })
    const after = found === undefined ? null : upTo(claim, found, result)
    if (after !== null) return performed(claim, after, result)
    yield* Effect.logWarning("attempt ended after its claim was lost: nothing is recorded of it", attemptFields(claim))
    return null
  })

  /** Now, or once its end has come. */
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
      if (attempt._tag === "CutOff") return attempt.result === null ? giveBack(claim) : record(claim, attempt.result)
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

/** The receiver is gone: the attempt ends unsent, and the delivery with it. */
const calledOff = <D extends AnyDelivery>(delivery: D, at: Instant): D =>
  moved(moved(delivery, { _tag: "CancelRequested", at }), { _tag: "AttemptGivenBack", at })

const givenBack = <D extends AnyDelivery>(delivery: D, at: Instant): D =>
  moved(delivery, { _tag: "AttemptGivenBack", at })

/** The delivery up to the claimed attempt, if that is on its record, and not as `lost`, which another worker wrote. */
const upTo = <D extends AnyDelivery>(claim: Claim<D>, delivery: D, { outcome }: AttemptResult): D | null => {
  const { attempt, startedAt } = attempting(claim.delivery)
  const index = delivery.attempts.findIndex(
    (one) => one.attempt === attempt && one.at === startedAt && one.outcome === outcome
  )
  return index < 0 ? null : { ...delivery, attempts: delivery.attempts.slice(0, index + 1) }
}

/** The host whose slots an attempt counts for; a malformed URL counts for itself. */
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
