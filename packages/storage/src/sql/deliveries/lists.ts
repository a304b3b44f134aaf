import type { DeliveryFilter, Slice } from "@tapedeck/core"
import { type ListedDelivery, listedDelivery, MAX_LISTED_BODY_BYTES } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inList, lookup, type Parameter, type Query } from "../database/statements.ts"
import { type DeliveryRow, type DeliveryRows, endColumns, withDocuments, withQueue } from "./rows.ts"

/** The tables that find deliveries, and with them those that contain all columns of deliveries. */
const allTables = { found: "deliveries d", whole: `deliveries d ${withDocuments} LEFT ${withQueue}` }
/** Deliveries of the queue, without ended deliveries, of which there may be millions. SQLite keeps the order of a CROSS JOIN. */
const foundOpen = "delivery_queue q CROSS JOIN deliveries d"
const openTables = { found: foundOpen, whole: `${foundOpen} ${withDocuments}` }

/** The queue's condition for each state of a delivery that has not ended. */
export const queuedAs: Readonly<Record<string, string>> = {
  Scheduled: "q.due_kind = 'attempt' AND q.leased_until = 0 AND q.retry = 0",
  Waiting: "q.due_kind = 'attempt' AND q.leased_until = 0 AND q.retry = 1",
  Attempting: "(q.due_kind <> 'attempt' OR q.leased_until > 0)",
  open: "1 = 1"
}

/** A delivery that an attempt delivered, as most, has nulls in `deliveries`, and no row in the queue. */
export const isDelivered = `(d.ended_as = 'Delivered' OR d.ended_as IS NULL
  AND NOT EXISTS (SELECT 1 FROM delivery_queue w WHERE ${lookup("w.sequence", "d.sequence")}))`

/** The condition of an end, where it is not equality with `ended_as`. */
const endedAs: Readonly<Record<string, string>> = {
  Delivered: isDelivered,
  deliveredOrOpen: "(d.ended_as = 'Delivered' OR d.ended_as IS NULL)"
}

type Selection = Omit<DeliveryFilter, "state"> & {
  readonly state?: DeliveryFilter["state"] | "open" | "deliveredOrOpen"
}

/** The tables, condition and parameters of a filter. */
const selectionOf = ({ accountId, auditEntryId, automationId, destinationId, recordingUuid, state }: Selection) => {
  const queued = state === undefined ? undefined : queuedAs[state]
  const where = [queued === undefined ? "1 = 1" : lookup("d.sequence", "q.sequence")]
  const parameters: Array<Parameter> = []
  const add = (condition: string, value: Parameter | undefined) => {
    if (value === undefined) return
    where.push(condition)
    parameters.push(value)
  }
  if (queued !== undefined) {
    where.push(queued)
    add("q.receiver = ? AND d.automation_id IS NOT NULL", automationId)
    add("q.receiver = ? AND d.destination_id IS NOT NULL", destinationId)
  } else {
    add("d.automation_id = ?", automationId)
    add("d.destination_id = ?", destinationId)
    const ended = state === undefined ? undefined : endedAs[state]
    if (ended === undefined) add("d.ended_as = ?", state)
    else where.push(ended)
  }
  add("d.recording_uuid = ?", recordingUuid)
  add("d.audit_entry_id = ?", auditEntryId)
  add("d.account_id = ?", accountId)
  return { tables: queued === undefined ? allTables : openTables, where: where.join(" AND "), parameters }
}

const deliveryColumns = (body: string) =>
  `d.sequence, o.document, ${body}, q.state, q.claimed_at, q.attempts, ${endColumns}`
/** Enough of a body to see whether it is longer than lists return: a character has at least one byte. */
const listedBody = `substr(o.body, 1, ${MAX_LISTED_BODY_BYTES + 1})`

/** Number of deliveries whose bodies and attempts are read at a time for a page. */
const chunkSize = 10

export type DeliveryLists = ReturnType<typeof makeDeliveryLists>

/** Finds deliveries, and reads them from their rows. */
export const makeDeliveryLists = (query: Query, { deliveriesOf }: Pick<DeliveryRows, "deliveriesOf">) => {
  const rowsOf = (body: string, tables: string, rest: string, parameters: ReadonlyArray<Parameter>) =>
    query<DeliveryRow>(`SELECT ${deliveryColumns(body)} FROM ${tables} WHERE ${rest}`, ...parameters)

  const select = (rest: string, parameters: ReadonlyArray<Parameter>) =>
    Effect.flatMap(rowsOf("o.body", allTables.whole, rest, parameters), deliveriesOf)

  /** Each is passed to `each` before the next chunk is read: a page of deliveries may have 13 MB. */
  const newestFirst = Effect.fnUntraced(function* <A>(
    filter: DeliveryFilter,
    { limit, offset }: Slice,
    each: (delivery: ListedDelivery) => A
  ): Effect.fn.Return<ReadonlyArray<A>, SqlError> {
    const { parameters, tables, where } = selectionOf(filter)
    const found = yield* query<[sequence: number]>(
      `SELECT d.sequence FROM ${tables.found} WHERE ${where} ORDER BY d.sequence DESC LIMIT ? OFFSET ?`,
      ...parameters,
      limit,
      offset
    )
    return yield* listed(
      found.map(([sequence]) => sequence),
      each
    )
  })

  /** Passes deliveries to `each` in the order of the sequences, which is newest first. */
  const listed = Effect.fnUntraced(function* <A>(
    found: ReadonlyArray<number>,
    each: (delivery: ListedDelivery) => A
  ): Effect.fn.Return<ReadonlyArray<A>, SqlError> {
    const items: Array<A> = []
    for (let at = 0; at < found.length; at += chunkSize) {
      const { marks, values } = inList(found.slice(at, at + chunkSize))
      const rows = yield* rowsOf(listedBody, allTables.whole, `d.sequence IN ${marks} ORDER BY d.sequence DESC`, values)
      for (const delivery of yield* deliveriesOf(rows)) items.push(each(listedDelivery(delivery)))
    }
    return items
  })

  return {
    listed,
    newestFirst,
    byId: (id: string) => Effect.map(select("d.id = ?", [id]), ([one]) => one),
    list: (filter: DeliveryFilter) => {
      const { parameters, tables, where } = selectionOf(filter)
      return Effect.flatMap(rowsOf("o.body", tables.whole, `${where} ORDER BY d.sequence`, parameters), deliveriesOf)
    },
    count: (filter: DeliveryFilter) => {
      // A difference: looking up each delivered one in the queue takes many times as long as counting the queue.
      const states = filter.state === "Delivered" ? (["deliveredOrOpen", "open"] as const) : [filter.state]
      const selections = states.map((state) => selectionOf({ ...filter, state }))
      const counts = selections.map(({ tables, where }) => `(SELECT count(*) FROM ${tables.found} WHERE ${where})`)
      return Effect.map(
        query<[number]>(`SELECT ${counts.join(" - ")}`, ...selections.flatMap(({ parameters }) => parameters)),
        ([row]) => Number(row![0])
      )
    }
  }
}
