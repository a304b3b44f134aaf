import { type AttemptResult, type Claim, makeNotices, Store, withNow } from "@tapedeck/core"
import type { AttemptOutcome, Delivery, Instant } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { afterAttempt, attemptFields, attempting, attemptSender, isSent, lost, moved } from "./attempt.ts"
import { memoized } from "./memoized.ts"
import { retryStoreCall } from "./retryStoreCall.ts"

/** One attempt as a driver sees it. `outcome` is null while its end is still to come. */
export interface PerformedAttempt {
  readonly delivery: Delivery
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

/** Takes deliveries through their attempts: target, sign, guard, send, judge, record. Rendering was core's. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Makes the claimed attempt, or records the one whose end has come. Null if the claim was lost, called off or given back:
     * because `slot` did not admit its host, or because it was interrupted before anything was sent. What was interrupted later
     * is a failed attempt: the receiver may have acted on it. A store call that fails is retried until it succeeds, or
     * until the caller interrupts it.
     */
    readonly perform: (claim: Claim, slot?: AttemptSlot) => Effect.Effect<PerformedAttempt | null>
  }
>()("@tapedeck/dispatcher/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const store = yield* Store
      const send = yield* attemptSender
      const notices = yield* makeNotices

      /** In one transaction with the mail about it, where this attempt fails the delivery for good and mail is due. */
      const withNotice = (claim: Claim, settled: Effect.Effect<Delivery | null>) =>
        Effect.flatMap(notices.isFailureDue(claim.delivery), (isDue) =>
          isDue
            ? store.transaction(
                Effect.tap(settled, (after) => (after === null ? Effect.void : notices.deliveryFailed(after)))
              )
            : settled
        )

      /** Writes what the delivery becomes, if the claim is still ours: now, however late it can be written. */
      const settle = (claim: Claim, after: (delivery: Delivery, at: Instant) => Delivery) =>
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
          const settled = store.deliveries.settle(claim, becomes)
          const mayFail = notices.isOn && isLastAttempt(claim.delivery)
          return retryStoreCall(mayFail ? withNotice(claim, settled) : settled, {
            fields: () => attemptFields(claim),
            isVain: () => isVain
          })
        })

      const record = (claim: Claim, result: AttemptResult) =>
        Effect.flatMap(
          settle(claim, (delivery, at) => afterAttempt(delivery, result, at)),
          (after) => (after === null ? foundRecorded(claim, result) : Effect.succeed(performed(claim, after, result)))
        )

      /** It was recorded, if only the store's reply was lost. Else the claim was lost, and its outcome with it. */
      const foundRecorded = Effect.fnUntraced(function* (claim: Claim, result: AttemptResult) {
        const { id } = claim.delivery
        const found = yield* retryStoreCall(store.deliveries.byId(id), { fields: () => attemptFields(claim) })
        const after = found === undefined ? null : upTo(claim, found, result)
        if (after !== null) return performed(claim, after, result)
        yield* Effect.logWarning(
          "attempt ended after its claim was lost: nothing is recorded of it",
          attemptFields(claim)
        )
        return null
      })

      /** Now, or once its end has come. */
      const recordAt = (claim: Claim, result: AttemptResult, endsAt: Instant) =>
        withNow((at) =>
          endsAt > at
            ? Effect.as(store.deliveries.hold(claim, result, endsAt), performed(claim, claim.delivery, null))
            : record(claim, result)
        )

      const giveBack = (claim: Claim) => Effect.as(settle(claim, givenBack), null)

      const attempted = (claim: Claim, slot: AttemptSlot | undefined): Effect.Effect<PerformedAttempt | null> => {
        const { delivery, receiver } = claim
        if (!isSent(delivery, receiver)) return Effect.as(settle(claim, calledOff), null)
        if (slot?.admit(hostOf(receiver.url)) === false) return giveBack(claim)
        return send<PerformedAttempt | null>(delivery, receiver, {
          sent: ({ endsAt, result }) => {
            slot?.leave(result.error === null ? "answer" : "failure")
            return endsAt === undefined ? record(claim, result) : recordAt(claim, result, endsAt)
          },
          cutOff: (result) => (result === null ? giveBack(claim) : record(claim, result))
        })
      }

      const perform = (claim: Claim, slot: AttemptSlot | undefined): Effect.Effect<PerformedAttempt | null> => {
        if (claim.reason === "due") return attempted(claim, slot)
        slot?.leave("nothing")
        if (claim.result !== null) return record(claim, claim.result)
        return Effect.andThen(
          Effect.logWarning("attempt was lost with its worker: it counts as failed", attemptFields(claim)),
          record(claim, lost)
        )
      }

      return Dispatcher.of({
        perform: (claim, slot) => Effect.uninterruptible(Effect.suspend(() => perform(claim, slot)))
      })
    })
  )
}

/** Whether no retry follows a failure of the claimed attempt. */
const isLastAttempt = (delivery: Delivery): boolean => attempting(delivery).attempt > delivery.schedule.length

/** The receiver is gone: the attempt ends unsent, and the delivery with it. */
const calledOff = (delivery: Delivery, at: Instant): Delivery =>
  moved(moved(delivery, { _tag: "CancelRequested", at }), { _tag: "AttemptGivenBack", at })

const givenBack = (delivery: Delivery, at: Instant): Delivery => moved(delivery, { _tag: "AttemptGivenBack", at })

/** The delivery up to the claimed attempt, if that is on its record, and not as `lost`, which another worker wrote. */
const upTo = (claim: Claim, delivery: Delivery, { outcome }: AttemptResult): Delivery | null => {
  const { attempt, startedAt } = attempting(claim.delivery)
  const index = delivery.attempts.findIndex(
    (one) => one.attempt === attempt && one.at === startedAt && one.outcome === outcome
  )
  return index < 0 ? null : { ...delivery, attempts: delivery.attempts.slice(0, index + 1) }
}

/** The host whose slots an attempt counts for; a malformed URL counts for itself. */
const hostOf = memoized((url): string => (URL.canParse(url) ? new URL(url).host : url))

const performed = (claim: Claim, delivery: Delivery, result: AttemptResult | null): PerformedAttempt => {
  const { attempt, firstAttemptAt, startedAt } = attempting(claim.delivery)
  return {
    delivery,
    attempt,
    elapsedMs: startedAt - firstAttemptAt,
    outcome: result?.outcome ?? null,
    statusCode: result?.statusCode ?? null
  }
}
