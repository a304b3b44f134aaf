import type { Claim } from "@tapedeck/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statements } from "./Statements.ts"

/** Moves leases' ends to `leaseMs` from now. Which of the claims are still their workers', in their order. */
export type RenewLeases = (
  claims: ReadonlyArray<Claim>,
  leaseMs: number
) => Effect.Effect<ReadonlyArray<boolean>, SqlError>

const renewLease = `
  UPDATE delivery_queue SET leased_until = ?
  WHERE sequence = (SELECT sequence FROM deliveries WHERE id = ?) AND fence = ? AND leased_until > 0`

/** For a database with one process. Inside a transaction. */
export const makeRenewLeases = ({ changeEach, now }: Statements): RenewLeases =>
  Effect.fnUntraced(function* (claims, leaseMs) {
    const leaseEnd = (yield* now) + leaseMs
    const changed = yield* changeEach(
      renewLease,
      claims.map(({ delivery, fence }) => [leaseEnd, delivery.id, fence])
    )
    return changed.map((count) => count > 0)
  })
