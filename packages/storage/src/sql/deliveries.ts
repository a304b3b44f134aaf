import { type AttemptResult, type Claim, type ClaimOptions, type DeliveryRepository, laneOf } from "@tapedeck/core"
import { type Delivery, decideDelivery, type Instant, nextAttemptAt, scheduleOf } from "@tapedeck/domain"
import { Clock, Effect, Result } from "effect"
import type { AttemptTexts } from "./attempts.ts"
import { type ClaimedRow, makeClaimable } from "./claimable.ts"
import type { Database } from "./Database.ts"
import { makeDeliveryQueue } from "./deliveryQueue.ts"
import { type FixedPart, makeDeliveryRows } from "./deliveryRows.ts"
import { makeInHand } from "./inHand.ts"
import { pruneDeliveries } from "./pruneDeliveries.ts"

export interface DeliveryParts {
  readonly texts: AttemptTexts
  /** The next place on the agenda. Inside a transaction. */
  readonly agendaOrder: Effect.Effect<number>
  /** Whoever waits for the agenda is woken once the transaction has committed. */
  readonly agendaChanged: Effect.Effect<void>
}

/** Whether it waits behind first attempts: 0 or 1, so that lanes come in `Lane`'s order. */
const retryOf = (state: Delivery["state"]): number => (state._tag === "Scheduled" ? 0 : 1)

/** What a state has in the row besides its place: in the order of `setState`. */
const stateColumns = ({ attempts, state }: Delivery) =>
  [retryOf(state), state._tag, JSON.stringify(state), attempts.length] as const

const setState = "retry = ?, state = ?, state_document = ?, attempts = ?"
const setDue = "due_kind = ?, due_at = ?, due_order = ?"

const insertRow = `
  INSERT INTO deliveries (id, account_id, automation_id, destination_id, recording_uuid, receiver, fence,
    retry, state, state_document, attempts, due_kind, due_at, due_order)
  VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?) RETURNING sequence`
const insertDocument = "INSERT INTO delivery_documents (sequence, document, body) VALUES (?, ?, ?)"
const insertAttempt = "INSERT INTO delivery_attempts (sequence, place, document) VALUES (?, ?, ?)"
const claimRow = `
  UPDATE deliveries SET retry = 1, state = ?, state_document = ?, fence = ?, due_kind = 'lease', due_at = ?, due_order = ?
  WHERE sequence = ?`
const isInHand = "id = ? AND fence = ? AND state = 'Attempting'"
const settleRow = `UPDATE deliveries SET ${setState}, held = NULL, ${setDue} WHERE ${isInHand} RETURNING sequence`
const holdRow = `
  UPDATE deliveries SET held = ?, due_kind = 'attempt_end', due_at = ?, due_order = ? WHERE ${isInHand}`

/** Of a delivery only its state and its attempts ever change; attempts are only added. */
export const makeDeliveries = (
  { afterCommit, query, read, write }: Database,
  { agendaChanged, agendaOrder, texts }: DeliveryParts
): DeliveryRepository => {
  const rows = makeDeliveryRows(query, texts)
  const { due, shared } = makeClaimable(query)
  const inHand = makeInHand(query)
  const newPlace = Effect.andThen(agendaChanged, agendaOrder)

  /** Its next attempt on the agenda, or nothing more: `setDue`. */
  const place = (state: Delivery["state"]) => {
    const at = nextAttemptAt(state)
    if (at === null) return Effect.succeed([null, null, null] as const)
    return Effect.map(newPlace, (order) => ["attempt", at, order] as const)
  }

  const appendAttempts = Effect.fnUntraced(function* (sequence: number, { attempts, body }: Delivery, from: number) {
    for (let index = from; index < attempts.length; index++) {
      yield* query(insertAttempt, sequence, index, yield* texts.encode(attempts[index]!, body))
    }
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
      ...(yield* place(state))
    )
    yield* query(insertDocument, row![0], JSON.stringify(fixed satisfies FixedPart), body)
    yield* appendAttempts(row![0], delivery, 0)
  })

  const take = Effect.fnUntraced(function* (row: ClaimedRow, now: Instant, leaseMs: number) {
    const taken = yield* claimOf(row, yield* rows.deliveryOf(row.delivery), now)
    const { state } = taken.delivery
    const order = yield* agendaOrder
    const [sequence] = row.delivery
    yield* query(claimRow, state._tag, JSON.stringify(state), taken.fence, now + leaseMs, order, sequence)
    return taken
  })

  const claimOf = (row: ClaimedRow, delivery: Delivery, at: Instant): Effect.Effect<Claim> => {
    const fence = row.fence + 1
    // Also where whoever was to record it went missing: what is known stays known.
    if (row.held !== null) {
      return Effect.map(texts.decode<AttemptResult>(row.held, delivery.body), (result) => ({
        delivery,
        fence,
        reason: "answered",
        result
      }))
    }
    if (row.dueKind === "lease") return Effect.succeed({ delivery, fence, reason: "lost", result: null })
    const started = decideDelivery(delivery.state, { _tag: "AttemptStarted", at }, scheduleOf(delivery))
    // Only Scheduled and Waiting deliveries have an attempt on the agenda, and both may start one.
    const attempting = { ...delivery, state: Result.getOrThrow(started) }
    return Effect.succeed({ delivery: attempting, fence, reason: "due", result: null })
  }

  const claim = Effect.fnUntraced(function* ({ leaseMs, limit, share }: ClaimOptions) {
    const now = (yield* Clock.currentTimeMillis) as Instant
    const found = yield* share === undefined ? due(now, limit) : shared(now, limit, share)
    if (found.length > 0) yield* agendaChanged
    const claims = yield* Effect.forEach(found, (row) => take(row, now, leaseMs))
    yield* afterCommit(() => claims.forEach(inHand.keep))
    return claims
  })

  const settle = Effect.fnUntraced(function* ({ delivery: claimed, fence }: Claim, delivery: Delivery) {
    const due = yield* place(delivery.state)
    const [row] = yield* query<[number]>(settleRow, ...stateColumns(delivery), ...due, claimed.id, fence)
    if (row === undefined) return false
    inHand.forget(claimed.id)
    yield* appendAttempts(row[0], delivery, claimed.attempts.length)
    return true
  })

  const hold = Effect.fnUntraced(function* ({ delivery, fence }: Claim, result: AttemptResult, endsAt: Instant) {
    const held = yield* texts.encode(result, delivery.body)
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
      const due = yield* place(delivery.state)
      const set = `UPDATE deliveries SET ${setState}, held = NULL, ${setDue} WHERE sequence = ?`
      yield* query(set, ...stateColumns(delivery), ...due, sequence)
    }
    yield* appendAttempts(sequence, delivery, attempts)
  })

  return {
    byId: (id) => read(inHand.byId(id, rows.byId(id))),
    list: (filter) => read(rows.list(filter)),
    page: (filter, { limit, offset }) =>
      read(
        Effect.zipWith(rows.count(filter), rows.newestFirst(filter, limit, offset), (count, items) => ({
          count,
          items
        }))
      ),
    insert: (delivery) => write(insert(delivery)),
    claim: (options) => write(claim(options)),
    hold: (claim, result, endsAt) => write(hold(claim, result, endsAt)),
    settle: (claim, delivery) => write(settle(claim, delivery)),
    update: (delivery) => write(update(delivery)),
    prune: (options) => write(pruneDeliveries(query, options)),
    queue: makeDeliveryQueue({ query, read })
  }
}
