import type { DeliveryPruning, PrunedDeliveries } from "@tapedeck/core"
import { Effect } from "effect"
import { lookup, type Query } from "../database/statements.ts"
import { type EndRow, endColumns, endedState, readFixedPart } from "./rows.ts"

type Row = readonly [sequence: number, document: string, ...EndRow]

const nextRows = `
  SELECT d.sequence, o.document, ${endColumns}
  FROM deliveries d JOIN delivery_documents o ON ${lookup("o.sequence", "d.sequence")}
  WHERE d.sequence > ? ORDER BY d.sequence LIMIT ?`

const hasEnded = ([, , ...end]: Row) => endedState(...end) !== undefined

/** Removes ended deliveries in the order of their creation, which is that of their numbers: it needs no index by time. */
export const prune = Effect.fnUntraced(function* (query: Query, { after, limit, createdBefore }: DeliveryPruning) {
  const rows = yield* query<Row>(nextRows, after ?? 0, limit)
  const young = rows.findIndex(([sequence, document]) => readFixedPart(sequence, document).createdAt >= createdBefore)
  const old = young === -1 ? rows : rows.slice(0, young)
  const ended = old.filter(hasEnded)
  for (const [sequence] of ended) {
    yield* query("DELETE FROM delivery_attempts WHERE sequence = ?", sequence)
    yield* query("DELETE FROM delivery_documents WHERE sequence = ?", sequence)
    yield* query("DELETE FROM deliveries WHERE sequence = ?", sequence)
  }
  const next = old.length < limit ? null : Number(old.at(-1)![0])
  return { removed: ended.length, after: next } satisfies PrunedDeliveries
})
