import type { DeliveryPruning, PrunedDeliveries } from "@tapedeck/core"
import { Effect } from "effect"
import { type EndRow, endColumns, endedState, type FixedPart } from "./deliveryRows.ts"
import { lookedUp } from "./lookedUp.ts"
import type { Query } from "./Query.ts"

type Row = readonly [sequence: number, document: string, ...EndRow]

const stretch = `
  SELECT d.sequence, o.document, ${endColumns}
  FROM deliveries d JOIN delivery_documents o ON ${lookedUp("o.sequence", "d.sequence")}
  WHERE d.sequence > ? ORDER BY d.sequence LIMIT ?`

const hasEnded = ([, , ...end]: Row) => endedState(...end) !== undefined

/** Deliveries are numbered as they are made: the old ones are the first ones, and no index of their own is to be kept. */
export const pruneDeliveries = Effect.fnUntraced(function* (
  query: Query,
  { behind, limit, madeBefore }: DeliveryPruning
) {
  const rows = yield* query<Row>(stretch, behind ?? 0, limit)
  const young = rows.findIndex(([, document]) => (JSON.parse(document) as FixedPart).createdAt >= madeBefore)
  const old = young === -1 ? rows : rows.slice(0, young)
  const ended = old.filter(hasEnded)
  for (const [sequence] of ended) {
    yield* query("DELETE FROM delivery_attempts WHERE sequence = ?", sequence)
    yield* query("DELETE FROM delivery_documents WHERE sequence = ?", sequence)
    yield* query("DELETE FROM deliveries WHERE sequence = ?", sequence)
  }
  const next = old.length < limit ? null : Number(old.at(-1)![0])
  return { removed: ended.length, behind: next } satisfies PrunedDeliveries
})
