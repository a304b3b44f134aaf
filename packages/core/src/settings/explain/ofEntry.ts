import type { AuditEntry, Delivery, DestinationId } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../../Store.ts"

const pieceSize = 100

/**
 * The deliveries of an audit entry to a destination, the newest first, but for those that were sent again later. A log has no
 * index by entry: it is in the order of its making, so the stretch made at the entry's instant is found by halving.
 */
export const deliveriesOfEntry = Effect.fnUntraced(function* (
  { deliveries }: Store["Service"],
  destinationId: DestinationId,
  entry: AuditEntry
) {
  const filter = { destinationId }
  const at = (offset: number, limit: number) => deliveries.page(filter, { offset, limit })
  let newer = 0
  let older = (yield* at(0, 1)).count
  while (newer < older) {
    const middle = Math.floor((newer + older) / 2)
    const [found] = (yield* at(middle, 1)).items
    // What was made with an entry was made at its instant, or the moment before or after.
    if (found !== undefined && found.createdAt > entry.at + slackMs) newer = middle + 1
    else older = middle
  }
  const found: Array<Delivery> = []
  for (let offset = newer; ; offset += pieceSize) {
    const { items } = yield* at(offset, pieceSize)
    found.push(...items.filter(({ auditEntryId }) => auditEntryId === entry.id))
    const last = items.at(-1)
    if (items.length < pieceSize || last === undefined || last.createdAt < entry.at - slackMs) return found
  }
})

/** Both are of one transaction: their instants are those of one clock that was read twice. */
const slackMs = 1_000
