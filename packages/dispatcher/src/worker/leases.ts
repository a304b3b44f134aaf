import type { AnyDelivery, DeliveryQueue } from "@tapedeck/domain/delivery"
import { Effect, Exit } from "effect"
import { attemptFields } from "../attempt.ts"
import { now } from "../now.ts"
import type { InFlight } from "./InFlight.ts"

/** Duration of a claim without renewal, in milliseconds. It is equal to the delay of a first retry, so that a lost attempt is found in time for it. */
export const leaseMs = 60_000

/** Interval of renewals, in milliseconds. A lease outlasts two failed renewals. */
const renewalMs = leaseMs / 3

/** Interval after a failed renewal, in milliseconds. */
const retryMs = 1_000

/** Renews the leases of all attempts in flight, until its scope closes. */
export const renewLeases = Effect.fnUntraced(function* <D extends AnyDelivery>(
  queue: Pick<DeliveryQueue<D>, "renew">,
  { attempts: inFlight }: Pick<InFlight<D>, "attempts">
) {
  let renewedAt: number = yield* now

  const renew = Effect.gen(function* () {
    const attempts = inFlight.filter(({ isLeaseLost }) => !isLeaseLost)
    const claims = attempts.map(({ claim }) => claim)
    const startedAt = yield* now
    const renewed = claims.length === 0 ? [] : yield* queue.renew(claims, leaseMs)
    renewedAt = startedAt
    for (const [index, attempt] of attempts.entries()) {
      // An outcome that is being recorded may have been recorded just now: then its claim is over, and not lost.
      if (renewed[index] || attempt.isLeaseLost || !["prefetched", "active"].includes(attempt.phase)) continue
      attempt.isLeaseLost = true
      yield* Effect.logWarning(
        "attempt goes on, but its claim is lost: its lease had ended, and another worker took it over",
        attemptFields(attempt.claim)
      )
    }
  })

  const retry = Effect.repeat(Effect.exit(Effect.delay(renew, retryMs)), { until: Exit.isSuccess })
  const renewSafely = Effect.catchCause(renew, (cause) =>
    Effect.andThen(Effect.logWarning("leases could not be renewed: store call failed; retrying", cause), retry)
  )
  yield* Effect.forkScoped(Effect.forever(Effect.delay(renewSafely, renewalMs)))

  return {
    /** Renews late leases. Run it before each claim, because a process that was suspended would claim its own attempts as lost. */
    renewIfLate: Effect.flatMap(now, (at) => (at < renewedAt + 2 * renewalMs ? Effect.void : renew))
  }
})
