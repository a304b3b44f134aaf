import type { AttemptResult, Claim, DeliveryRepository, Store } from "@tapedeck/core"
import { laneOf } from "@tapedeck/core"
import { type Delivery, type Instant, nextAttemptAt } from "@tapedeck/domain"
import { Clock, Effect } from "effect"
import { type AttemptTexts, customNamesOf } from "./attempts.ts"
import { makeClaiming } from "./claiming.ts"
import type { Database } from "./Database.ts"
import { makeDeliveryQueue } from "./deliveryQueue.ts"
import { type FixedPart, makeDeliveryRows } from "./deliveryRows.ts"
import { type AttemptRow, type DuePlace, makeDeliveryWrites, stateColumns } from "./deliveryWrites.ts"
import { gathering } from "./gathering.ts"
import { pruneDeliveries } from "./pruneDeliveries.ts"
import { makeSettling, type Settlement } from "./settling.ts"

export interface DeliveryParts {
  readonly texts: AttemptTexts
  readonly receivers: Pick<Store["Service"], "automations" | "destinations">
  /** The next place on the agenda. Inside a transaction. */
  readonly agendaOrder: Effect.Effect<number>
  /** Whoever waits for the agenda is woken once the transaction has committed. */
  readonly agendaChanged: Effect.Effect<void>
  /** The same, where nothing came that other processes could do. */
  readonly agendaTaken: Effect.Effect<void>
}

const setState = "retry = ?, state = ?, state_document = ?, attempts = ?"
const setDue = "due_kind = ?, due_at = ?, due_order = ?"

const insertRow = `
  INSERT INTO deliveries (id, account_id, automation_id, destination_id, recording_uuid, receiver, fence,
    retry, state, state_document, attempts, due_kind, due_at, due_order)
  VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?) RETURNING sequence`
const insertDocument = "INSERT INTO delivery_documents (sequence, document, body) VALUES (?, ?, ?)"
const holdRow = `
  UPDATE deliveries SET held = ?, due_kind = 'attempt_end', due_at = ?, due_order = ?
  WHERE id = ? AND fence = ? AND state = 'Attempting'`

/** Of a delivery only its state and its attempts ever change; attempts are only added. */
export const makeDeliveries = (
  database: Database,
  { agendaChanged, agendaOrder, agendaTaken, receivers, texts }: DeliveryParts
): DeliveryRepository => {
  const { fenced, isInTransaction, query, read, write } = database
  const apart = database.apart ?? fenced
  const rows = makeDeliveryRows(query, texts)
  const writes = database.deliveryWrites ?? makeDeliveryWrites(database)
  const claim = makeClaiming(database, { rows, writes, texts, receivers, agendaOrder, agendaTaken })
  const newPlace = Effect.andThen(agendaChanged, agendaOrder)

  /** Its next attempt on the agenda, or nothing more. */
  const placeOf = (state: Delivery["state"]): Effect.Effect<DuePlace> => {
    const at = nextAttemptAt(state)
    if (at === null) return nowhere
    return Effect.map(newPlace, (order) => ["attempt", at, order] as const)
  }

  const settle = makeSettling({ rows, writes, texts, placeOf })
  /** A transaction costs more than what is written of one delivery: those that end side by side share one. */
  const settleTogether = gathering((settlements: ReadonlyArray<Settlement>) => apart(settle(settlements)))

  const appendAttempts = Effect.fnUntraced(function* (sequence: number, { attempts, body }: Delivery, from: number) {
    const lines: Array<AttemptRow> = []
    for (let place = from; place < attempts.length; place++) {
      lines.push([sequence, place, yield* texts.encode(attempts[place]!, body, undefined)])
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
      laneOf(delivery).receiver,
      ...stateColumns(delivery),
      ...(yield* placeOf(state))
    )
    yield* query(insertDocument, row![0], JSON.stringify(fixed satisfies FixedPart), body)
    yield* appendAttempts(row![0], delivery, 0)
  })

  const hold = Effect.fnUntraced(function* (claim: Claim, result: AttemptResult, endsAt: Instant) {
    const { delivery, fence } = claim
    const held = yield* texts.encode(result, delivery.body, customNamesOf(claim))
    yield* query(holdRow, held, endsAt, yield* newPlace, delivery.id, fence)
  })

  const update = Effect.fnUntraced(function* (delivery: Delivery) {
    const [row] = yield* query<[number, number]>("SELECT sequence, attempts FROM deliveries WHERE id = ?", delivery.id)
    if (row === undefined) return
    const [sequence, attempts] = row
    if (delivery.state._tag === "Attempting") {
      // An attempt that is under way keeps its place: its lease, or the end of its held result.
      yield* query(`UPDATE deliveries SET ${setState} WHERE sequence = ?`, ...stateColumns(delivery), sequence)
    } else {
      const set = `UPDATE deliveries SET ${setState}, held = NULL, ${setDue} WHERE sequence = ?`
      yield* query(set, ...stateColumns(delivery), ...(yield* placeOf(delivery.state)), sequence)
    }
    yield* appendAttempts(sequence, delivery, attempts)
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
    claim: (options) => fenced(claim(options)),
    hold: (claim, result, endsAt) => fenced(hold(claim, result, endsAt)),
    settle: Effect.fnUntraced(function* (claim, after) {
      const settlement = { claim, after, at: (yield* Clock.currentTimeMillis) as Instant }
      if (!(yield* isInTransaction)) return yield* settleTogether(settlement)
      const [exit] = yield* fenced(settle([settlement]))
      return yield* exit!
    }),
    update: (delivery) => write(update(delivery)),
    prune: (options) => write(pruneDeliveries(query, options)),
    queue: makeDeliveryQueue({ query, read })
  }
}

const nowhere = Effect.succeed<DuePlace>([null, null, null])
