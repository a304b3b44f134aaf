import { type Claim, now, type Store } from "@tapedeck/core"
import { Effect, Exit } from "effect"
import { attempting } from "./target.ts"
import type { UnderWay } from "./underWay.ts"

/**
 * So long a delivery is kept for a worker that says nothing any more. It is the delay of a first retry too: what a worker was
 * lost with is found in time for that.
 */
export const leaseMs = 60_000

/** A lease outlasts two renewals that fail. */
const renewalMs = leaseMs / 3

/** The same while the store does not answer. */
const againMs = 1_000

/** Renews the leases of what a worker has in hand, until its scope closes. */
export const renewedLeases = Effect.fnUntraced(function* (
  { deliveries }: Pick<Store["Service"], "deliveries">,
  inHand: Pick<UnderWay, "all">
) {
  let renewedAt: number = yield* now

  const renew = Effect.gen(function* () {
    const attempts = inHand.all().filter(({ lease }) => lease !== "lost")
    const claims = attempts.map(({ claim }) => claim)
    const asked = yield* now
    const renewed = claims.length === 0 ? [] : yield* deliveries.renew(claims, leaseMs)
    renewedAt = asked
    for (const [index, attempt] of attempts.entries()) {
      // What is being recorded may have been just now: whoever records it is told.
      if (renewed[index] || attempt.lease !== "kept") continue
      attempt.lease = "lost"
      yield* Effect.logWarning(
        `${named(attempt.claim)} goes on, but its claim is lost: its lease had ended, and another took it over`
      )
    }
  })

  let answers = true
  const renewAgain = Effect.gen(function* () {
    yield* Effect.sleep(answers ? renewalMs : againMs)
    const exit = yield* Effect.exit(renew)
    if (Exit.isFailure(exit) && answers) {
      yield* Effect.logWarning("leases could not be renewed; asking the store again until they are", exit.cause)
    }
    answers = Exit.isSuccess(exit)
  })
  yield* Effect.forkScoped(Effect.forever(renewAgain))

  return {
    /** To be run before a claim: a process that stood still would take from itself what it has in hand. */
    renewIfLate: Effect.flatMap(now, (at) => (at < renewedAt + 2 * renewalMs ? Effect.void : renew))
  }
})

export const named = ({ delivery }: Claim): string =>
  `attempt ${attempting(delivery).attempt} of delivery ${delivery.id}`
