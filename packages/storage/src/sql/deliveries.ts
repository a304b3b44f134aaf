import type { AttemptResult, Claim, DeliveryRepository } from "@tapedeck/core"
import { queueKeyOf } from "@tapedeck/core"
import { type Delivery, type Instant, nextAttemptAt } from "@tapedeck/domain"
import { Clock, Effect } from "effect"
import { type AttemptTexts, customNamesOf } from "./attempts.ts"
import { makeCancelDeliveries } from "./cancelDeliveries.ts"
import { makeTakeDue } from "./claimable.ts"
import { type ClaimReceivers, makeClaiming } from "./claiming.ts"
import type { Database } from "./Database.ts"
import { makeDeliveryQueue } from "./deliveryQueue.ts"
import { endOf, type FixedPart, makeDeliveryRows } from "./deliveryRows.ts"
import { type AttemptRow, type DuePlace, makeDeliveryWrites, queueAgain, queuedState } from "./deliveryWrites.ts"
import { gathering } from "./gathering.ts"
import { pruneDeliveries } from "./pruneDeliveries.ts"
import { makeRenewLeases } from "./renewLeases.ts"
import { makeSettling, type Settlement } from "./settling.ts"

export interface DeliveryParts {
  readonly texts: AttemptTexts
  readonly receivers: ClaimReceivers
  /** The next place on the agenda. Inside a transaction. */
  readonly agendaOrder: Effect.Effect<number>
  /** Whoever waits for the agenda is woken once the transaction has committed. */
  readonly agendaChanged: Effect.Effect<void>
  /** The same, where nothing came that other processes could do. */
  readonly agendaTaken: Effect.Effect<void>
}

const insertRow = `
  INSERT INTO deliveries (id, account_id, automation_id, destination_id, recording_uuid, ended_as, ended_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING sequence`
const insertDocument = "INSERT INTO delivery_documents (sequence, document, body) VALUES (?, ?, ?)"
const insertQueued = `
  INSERT INTO delivery_queue (sequence, account_id, receiver, fence, retry, state, attempts, due_kind, due_at, due_order)
  VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?)`
const holdRow = `
  UPDATE delivery_queue SET retry = 1, held = ?, due_kind = 'attempt_end', due_at = ?, due_order = ?, leased_until = 0
  WHERE sequence = (SELECT sequence FROM deliveries WHERE id = ?) AND fence = ?
    AND (leased_until > 0 OR due_kind = 'attempt_end')`
const setState = "UPDATE delivery_queue SET state = ?, attempts = ?, claimed_at = NULL"

/** Of a delivery only its state and its attempts ever change; attempts are only added. */
export const makeDeliveries = (
  database: Database,
  { agendaChanged, agendaOrder, agendaTaken, receivers, texts }: DeliveryParts
): DeliveryRepository => {
  const { fenced, isInTransaction, query, read, write } = database
  const apart = database.apart ?? fenced
  const rows = makeDeliveryRows(query, texts)
  const writes = database.deliveryWrites ?? makeDeliveryWrites(database)
  const take = database.takeDue ?? makeTakeDue(database)
  const renew = database.renewLeases ?? makeRenewLeases(database)
  const cancelOf = makeCancelDeliveries(database)
  const claim = makeClaiming({ take, rows, texts, receivers, agendaTaken })
  const newPlace = Effect.andThen(agendaChanged, agendaOrder)

  /** Its next attempt on the agenda, or nothing more. */
  const placeOf = (state: Delivery["state"]): Effect.Effect<DuePlace | undefined> => {
    const at = nextAttemptAt(state)
    if (at === null) return Effect.undefined
    return Effect.map(newPlace, (order) => ["attempt", at, order] as const)
  }

  const settle = makeSettling({ rows, writes, texts, placeOf })
  /** A transaction costs more than what is written of one delivery: those that end side by side share one. */
  const settleTogether = gathering(
    (settlements: ReadonlyArray<Settlement>) => apart(settle(settlements)),
    database.crowd
  )

  const settleAlone = (settlement: Settlement) => Effect.flatMap(fenced(settle([settlement])), ([exit]) => exit!)

  const appendAttempts = Effect.fnUntraced(function* (sequence: number, { attempts }: Delivery, from: number) {
    const lines: Array<AttemptRow> = []
    for (let place = from; place < attempts.length; place++) {
      lines.push([sequence, place, yield* texts.encode(attempts[place]!, undefined), null])
    }
    if (lines.length > 0) yield* writes.log(lines)
  })

  const insert = Effect.fnUntraced(function* (delivery: Delivery) {
    const { attempts: _, body, state, ...fixed } = delivery
    const { accountId, automationId, destinationId, id, recordingUuid } = fixed
    const [row] = yield* query<[number]>(
      insertRow,
      id,
      accountId,
      automationId,
      destinationId,
      recordingUuid,
      ...endOf(state)
    )
    const sequence = row![0]
    yield* query(insertDocument, sequence, JSON.stringify(fixed satisfies FixedPart), body)
    const due = yield* placeOf(state)
    if (due !== undefined) {
      yield* query(insertQueued, sequence, accountId, queueKeyOf(delivery).receiver, ...queuedState(delivery), ...due)
    }
    yield* appendAttempts(sequence, delivery, 0)
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
      // An attempt that is under way keeps its place: its lease, or the end of its held result.
      yield* query(`${setState} WHERE sequence = ?`, JSON.stringify(state), attempts.length, sequence)
    } else if (due !== undefined) {
      yield* query(`${queueAgain} WHERE sequence = ?`, ...queuedState(delivery), ...due, sequence)
    } else {
      yield* query("DELETE FROM delivery_queue WHERE sequence = ?", sequence)
      yield* query("UPDATE deliveries SET ended_as = ?, ended_at = ? WHERE sequence = ?", ...endOf(state), sequence)
    }
    yield* appendAttempts(sequence, delivery, Number(row[1]))
  })

  return {
    byId: (id) => read(rows.byId(id)),
    list: (filter) => read(rows.list(filter)),
    page: (filter, { limit, offset }) =>
      read(
        Effect.zipWith(rows.count(filter), rows.newestFirst(filter, limit, offset), (count, items) => ({
          count,
          items
        }))
      ),
    insert: (delivery) => write(insert(delivery)),
    claim: (options) => apart(claim(options)),
    renew: (claims, leaseMs) => apart(renew(claims, leaseMs)),
    hold: (claim, result, endsAt) => fenced(hold(claim, result, endsAt)),
    settle: (claim, after) =>
      Effect.withFiber((fiber) => {
        const settlement = { claim, after, at: fiber.getRef(Clock.Clock).currentTimeMillisUnsafe() as Instant }
        return isInTransaction(fiber) ? settleAlone(settlement) : settleTogether(settlement, fiber)
      }),
    update: (delivery) => write(update(delivery)),
    cancelOf: (receiver, options) => fenced(cancelOf(receiver, options)),
    prune: (options) => write(pruneDeliveries(query, options)),
    queue: makeDeliveryQueue(database)
  }
}
