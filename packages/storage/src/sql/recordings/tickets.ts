import type { RecordingFilter, Slice } from "@tapedeck/core"
import { Effect } from "effect"
import type { Parameter, Query } from "../database/statements.ts"
import type { Views } from "./Views.ts"

type TicketFilter = RecordingFilter & Required<Pick<RecordingFilter, "ticket">>

/**
 * A ticket's id as it is stored: as JSON if it has characters that a database's text cannot contain, or begins like JSON. Different
 * ids have different texts.
 */
export const ticketText = (id: string): string =>
  id.startsWith('"') || id.includes("\0") || !id.isWellFormed() ? JSON.stringify(id) : id

/**
 * Recordings of a ticket, by its id or as an active follow-up (N6): never both, as a follow-up is another ticket (N5). Each is an
 * ordered range of an index, so a page merges two ranges.
 *
 * Tickets have few recordings, so they are counted if there is more than a page: 100,000 of one ticket take some 10 ms
 * (docs/adr/0011-counted-blocks.md).
 */
export const ticketSearch = (query: Query, views: Views) =>
  Effect.fnUntraced(function* (filter: TicketFilter, { limit, offset }: Slice) {
    const { conditions, parameters } = conditionsOf(filter)
    const both = [...parameters, ...parameters]
    const entries = yield* views.entries(
      `SELECT id, revision, created_at FROM recordings WHERE ticket_id = ? AND ${conditions}
        UNION ALL SELECT id, revision, created_at FROM recordings WHERE active_ticket_id = ? AND ${conditions}
        ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
      ...both,
      limit,
      offset
    )
    if (offset === 0 && entries.length < limit) return { count: entries.length, entries }
    const [row] = yield* query<[number]>(
      `SELECT (SELECT count(*) FROM recordings WHERE ticket_id = ? AND ${conditions})
        + (SELECT count(*) FROM recordings WHERE active_ticket_id = ? AND ${conditions})`,
      ...both
    )
    return { count: row![0], entries }
  })

const conditionsOf = ({ accountId, ownerId, ticket: { platform, ticketId } }: TicketFilter) => {
  const conditions = ["account_id = ?"]
  const parameters: Array<Parameter> = [ticketText(ticketId), accountId]
  if (platform !== undefined) {
    conditions.push("platform = ?")
    parameters.push(platform)
  }
  if (ownerId !== undefined) {
    conditions.push("owner_id = ?")
    parameters.push(ownerId)
  }
  return { conditions: conditions.join(" AND "), parameters }
}
