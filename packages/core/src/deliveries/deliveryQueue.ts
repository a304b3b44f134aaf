import type { Delivery } from "@tapedeck/domain"
import type { DeliveryQueue } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import type { JobRunner } from "../jobs/JobRunner.ts"
import { makeNotices } from "../mail/Notices.ts"
import { attemptChanges, deliveryChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { queueKeyOf } from "./queueKeys.ts"

/**
 * The store's deliveries as a dispatcher works on them. Its agenda has the jobs for which `jobs` has a free slot. An outcome that fails a delivery permanently is written with the mail about it.
 */
export const deliveryQueue = Effect.fnUntraced(function* (jobs?: JobRunner) {
  const store = yield* storeOf("agenda", "changes", "deliveries", "transaction")
  const notices = yield* makeNotices
  const { agenda, changes, deliveries } = store

  const settle: DeliveryQueue["settle"] = (claim, after) =>
    Effect.tap(deliveries.settle(claim, after), (settled) =>
      settled === null ? Effect.void : changes.publishOnCommit(attemptChanges(settled))
    )

  const settleWithNotice: DeliveryQueue["settle"] = (claim, after) =>
    Effect.flatMap(notices.isFailureDue(claim.delivery), (isDue) =>
      isDue
        ? store.transaction(
            Effect.tap(settle(claim, after), (settled) =>
              settled === null ? Effect.void : notices.deliveryFailed(settled)
            )
          )
        : settle(claim, after)
    )

  const queue: DeliveryQueue = {
    byId: (id) => deliveries.byId(id),
    keyOf: queueKeyOf,
    claim: (options) =>
      Effect.tap(deliveries.claim(options), (claims) =>
        changes.publishOnCommit(claims.map(({ delivery }) => deliveryChange(delivery)))
      ),
    renew: (claims, leaseMs) => deliveries.renew(claims, leaseMs),
    hold: (claim, result, endsAt) => deliveries.hold(claim, result, endsAt),
    settle: (claim, after) =>
      notices.isOn && isLastAttempt(claim.delivery) ? settleWithNotice(claim, after) : settle(claim, after),
    agenda:
      jobs === undefined
        ? { next: agenda.next([]), changed: agenda.changed }
        : {
            next: Effect.suspend(() => agenda.next(jobs.openPools())),
            changed: Effect.raceFirst(agenda.changed, jobs.slotFreed)
          }
  }
  return queue
})

/** Returns whether the claimed attempt is the last: no retry follows its failure. */
const isLastAttempt = ({ schedule, state }: Delivery): boolean =>
  state._tag === "Attempting" && state.attempt > schedule.length
