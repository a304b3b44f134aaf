import {
  type DeliveryPruning,
  type DeliveryRepository,
  type PrunedDeliveries,
  type QueueCounts,
  queueKeyOf
} from "@tapedeck/core"
import type { Delivery, Instant } from "@tapedeck/domain"
import { type AttemptResult, type Claim, nextAttemptAt } from "@tapedeck/domain/delivery"
import { Clock, Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { attemptRead } from "../database/documents.ts"
import { RowUnreadable } from "../database/errors.ts"
import { inList, lookup, type Query } from "../database/statements.ts"
import { type AttemptTexts, customNamesOf } from "./attempts.ts"
import { makeCancel } from "./cancel.ts"
import { type ClaimReceivers, makeClaim } from "./claim.ts"
import { makeDeliveryLists } from "./lists.ts"
import {
  type AttemptRow,
  type DuePlace,
  type EndRow,
  endColumns,
  endedState,
  endOf,
  type FixedPart,
  makeDeliveryRows,
  queuedState,
  readFixedPart,
  requeue
} from "./rows.ts"
import { makeDeliverySearch } from "./search.ts"
import { batched, makeSettle, type Settlement } from "./settle.ts"

export interface DeliveryParts {
  readonly texts: AttemptTexts
  readonly receivers: ClaimReceivers
  /** The next place on the agenda. Inside a transaction. */
  readonly agendaOrder: Effect.Effect<number>
  /** Wakes what waits for the agenda, in all processes, after the transaction's commit. */
  readonly agendaChanged: Effect.Effect<void>
  /** The same in this process only: the change is no work for others. */
  readonly agendaTaken: Effect.Effect<void>
}

const insertRow = `
  INSERT INTO deliveries (id, account_id, automation_id, destination_id, recording_uuid, audit_entry_id, ended_as, ended_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING sequence`
const insertDocument = "INSERT INTO delivery_documents (sequence, document, body) VALUES (?, ?, ?)"
const insertQueued = `
  INSERT INTO delivery_queue (sequence, account_id, receiver, fence, retry, state, attempts, due_kind, due_at, due_order)
  VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?)`
const holdRow = `
  UPDATE delivery_queue SET retry = 1, held = ?, due_kind = 'attempt_end', due_at = ?, due_order = ?, leased_until = 0
  WHERE sequence = (SELECT sequence FROM deliveries WHERE id = ?) AND fence = ?
    AND (leased_until > 0 OR due_kind = 'attempt_end')`
const setState = "UPDATE delivery_queue SET state = ?, attempts = ?, claimed_at = NULL"

/** Only a delivery's state and its attempts change; attempts are only added. */
export const makeDeliveries = (
  database: Database,
  { agendaChanged, agendaOrder, agendaTaken, receivers, texts }: DeliveryParts
): DeliveryRepository => {
  const { autocommit, deliveries, isInTransaction, query, read, readCommitted, write } = database
  const { batching, claimDue, insertAttempts, recordOutcomes, renewLeases } = deliveries
  const rows = makeDeliveryRows(query, texts)
  const lists = makeDeliveryLists(query, rows)
  const cancelOf = makeCancel(database)
  const claim = makeClaim({ claimDue, rows, texts, receivers, agendaTaken })
  const newPlace = Effect.andThen(agendaChanged, agendaOrder)

  /** The next attempt's place; undefined if no attempt follows. */
  const placeOf = (state: Delivery["state"]): Effect.Effect<DuePlace | undefined> => {
    const at = nextAttemptAt(state)
    if (at === null) return Effect.undefined
    return Effect.map(newPlace, (order) => ["attempt", at, order] as const)
  }

  const settle = makeSettle({ rows, recordOutcomes, texts, placeOf })
  /** Concurrent settlements share a transaction, which costs more than the writes of one delivery. */
  const settleInBatch = batched((settlements: ReadonlyArray<Settlement>) => autocommit(settle(settlements)), batching)

  const settleAlone = (settlement: Settlement) => Effect.flatMap(readCommitted(settle([settlement])), ([exit]) => exit!)

  const addAttempts = Effect.fnUntraced(function* (sequence: number, { attempts }: Delivery, from: number) {
    const added: Array<AttemptRow> = []
    for (let place = from; place < attempts.length; place++) {
      added.push([sequence, place, yield* texts.encode(attempts[place]!, undefined), null])
    }
    if (added.length > 0) yield* insertAttempts(added)
  })

  const insert = Effect.fnUntraced(function* (delivery: Delivery) {
    const { attempts: _, body, state, ...fixed } = delivery
    const { accountId, auditEntryId, automationId, destinationId, id, recordingUuid } = fixed
    const [row] = yield* query<[number]>(
      insertRow,
      id,
      accountId,
      automationId,
      destinationId,
      recordingUuid,
      auditEntryId,
      ...endOf(state)
    )
    const sequence = row![0]
    yield* query(insertDocument, sequence, JSON.stringify(fixed satisfies FixedPart), body)
    const due = yield* placeOf(state)
    if (due !== undefined) {
      yield* query(insertQueued, sequence, accountId, queueKeyOf(delivery).receiver, ...queuedState(delivery), ...due)
    }
    yield* addAttempts(sequence, delivery, 0)
  })

  const hold = Effect.fnUntraced(function* (claim: Claim, result: AttemptResult, endsAt: Instant) {
    const { delivery, fence } = claim
    const held = yield* texts.encode(result, customNamesOf(claim))
    yield* query(holdRow, held, endsAt, yield* newPlace, delivery.id, fence)
  })

  const update = Effect.fnUntraced(function* (delivery: Delivery) {
    const { attempts, id, state } = delivery
    const [row] = yield* query<[number, number]>(
      `SELECT d.sequence, (SELECT count(*) FROM delivery_attempts a WHERE a.sequence = d.sequence)
        FROM deliveries d WHERE d.id = ?`,
      id
    )
    if (row === undefined) return
    const sequence = row[0]
    const due = yield* placeOf(state)
    if (state._tag === "Attempting") {
      // An attempt in flight keeps its place: the end of its lease or of its held result.
      yield* query(`${setState} WHERE sequence = ?`, JSON.stringify(state), attempts.length, sequence)
    } else if (due !== undefined) {
      yield* query(`${requeue} WHERE sequence = ?`, ...queuedState(delivery), ...due, sequence)
    } else {
      yield* query("DELETE FROM delivery_queue WHERE sequence = ?", sequence)
      yield* query("UPDATE deliveries SET ended_as = ?, ended_at = ? WHERE sequence = ?", ...endOf(state), sequence)
    }
    yield* addAttempts(sequence, delivery, Number(row[1]))
  })

  const search = makeDeliverySearch(database, lists)

  return {
    byId: (id) => read(lists.byId(id)),
    search: (filters, after, limit, each) => read(search(filters, after, limit, each)),
    list: (filter) => read(lists.list(filter)),
    page: (filter, slice, each) =>
      read(
        Effect.zipWith(lists.count(filter), lists.newestFirst(filter, slice, each), (count, items) => ({
          count,
          items
        }))
      ),
    insert: (delivery) => write(insert(delivery)),
    claim: (options) => autocommit(claim(options)),
    renew: (claims, leaseMs) => autocommit(renewLeases(claims, leaseMs)),
    hold: (claim, result, endsAt) => readCommitted(hold(claim, result, endsAt)),
    settle: (claim, after) =>
      Effect.withFiber((fiber) => {
        const settlement = { claim, after, at: fiber.getRef(Clock.Clock).currentTimeMillisUnsafe() as Instant }
        return isInTransaction(fiber) ? settleAlone(settlement) : settleInBatch(settlement, fiber)
      }),
    update: (delivery) => write(update(delivery)),
    cancelOf: (receiver, options) => readCommitted(cancelOf(receiver, options)),
    prune: (options) => write(prune(query, options)),
    queue: queueCounts(database)
  }
}

type PruneRow = readonly [sequence: number, document: string, ...EndRow]

const nextToPrune = `
  SELECT d.sequence, o.document, ${endColumns}
  FROM deliveries d JOIN delivery_documents o ON ${lookup("o.sequence", "d.sequence")}
  WHERE d.sequence > ? ORDER BY d.sequence LIMIT ?`

const hasEnded = ([, , ...end]: PruneRow) => endedState(...end) !== undefined

/**
 * Removes ended deliveries in the order of their creation, which is that of their numbers: it needs no index by time. One that cannot
 * be read is left.
 */
const prune = Effect.fnUntraced(function* (query: Query, { after, limit, createdBefore }: DeliveryPruning) {
  const rows = yield* query<PruneRow>(nextToPrune, after ?? 0, limit)
  const ages = rows.map(([sequence, document]) => attemptRead(() => readFixedPart(sequence, document).createdAt))
  const young = ages.findIndex((createdAt) => !(createdAt instanceof RowUnreadable) && createdAt >= createdBefore)
  const old = young === -1 ? rows : rows.slice(0, young)
  const faults = ages.slice(0, old.length).filter((age) => age instanceof RowUnreadable)
  for (const fault of faults) yield* Effect.logError("A delivery could not be pruned", fault)
  const ended = old.filter((row, index) => !(ages[index] instanceof RowUnreadable) && hasEnded(row))
  if (ended.length > 0) {
    const { marks, values } = inList(ended.map(([sequence]) => sequence))
    for (const table of ["delivery_attempts", "delivery_documents", "deliveries"]) {
      yield* query(`DELETE FROM ${table} WHERE sequence IN ${marks}`, ...values)
    }
  }
  const next = old.length < limit ? null : Number(old.at(-1)![0])
  return { removed: ended.length, after: next } satisfies PrunedDeliveries
})

// An index of the queue alone answers each: ended deliveries cost nothing.
const countByQueue = "SELECT retry, count(*) FROM delivery_queue GROUP BY receiver, retry"
/** Deliveries in flight were due when they were claimed. */
const countLeased = "SELECT retry, count(*) FROM delivery_queue WHERE due_at <= ? AND leased_until > 0 GROUP BY retry"
const firstDue = "SELECT due_at FROM delivery_queue WHERE leased_until = 0 ORDER BY due_at, due_order LIMIT 1"

/** The number of queued deliveries, by what they wait for. */
const queueCounts = ({
  now: storeNow,
  query,
  read
}: Pick<Database, "now" | "query" | "read">): Effect.Effect<QueueCounts> =>
  read(
    Effect.gen(function* () {
      const waiting = counted(yield* query<RetryCount>(countByQueue))
      const attempting = counted(yield* query<RetryCount>(countLeased, yield* storeNow))
      const [[nextAt = null] = []] = yield* query<[dueAt: Instant]>(firstDue)
      return {
        scheduled: waiting.first - attempting.first,
        waiting: waiting.again - attempting.again,
        attempting: attempting.first + attempting.again,
        nextAt
      }
    })
  )

type RetryCount = readonly [retry: number, count: number]

const counted = (rows: ReadonlyArray<RetryCount>) => {
  const sum = { first: 0, again: 0 }
  for (const [retry, count] of rows) sum[retry === 0 ? "first" : "again"] += Number(count)
  return sum
}
