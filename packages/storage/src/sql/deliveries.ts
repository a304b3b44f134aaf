import {
  type AttemptResult,
  type Claim,
  type ClaimOptions,
  type DeliveryFilter,
  type DeliveryRepository,
  laneOf
} from "@tapedeck/core"
import { type Delivery, decideDelivery, type Instant, nextAttemptAt, scheduleOf } from "@tapedeck/domain"
import { Clock, Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AttemptTexts } from "./attempts.ts"
import { type ClaimedRow, makeClaimable } from "./claimable.ts"
import type { Database } from "./Database.ts"
import { countOf } from "./documents.ts"

export interface DeliveryRow {
  readonly sequence: number
  readonly state_document: string
  readonly attempts: number
  readonly document: string
}

/** What never changes about a delivery. */
type Fixed = Omit<Delivery, "state" | "attempts">

export interface DeliveryParts {
  readonly texts: AttemptTexts
  /** The next place on the agenda. Inside a transaction. */
  readonly agendaOrder: Effect.Effect<number>
  /** Whoever waits for the agenda is woken once the transaction has committed. */
  readonly agendaChanged: Effect.Effect<void>
}

/** Whether it waits behind first attempts: 0 or 1, so that lanes come in `Lane`'s order. */
const retryOf = (state: Delivery["state"]): number => (state._tag === "Scheduled" ? 0 : 1)

export const makeDeliveries = (
  { query, read, sql, transaction, write }: Database,
  { agendaChanged, agendaOrder, texts }: DeliveryParts
): DeliveryRepository => {
  const columns = sql.literal("d.sequence, d.state_document, d.attempts, o.document")
  const { due, shared } = makeClaimable(query)
  const tables = sql.literal("deliveries d JOIN delivery_documents o ON o.sequence = d.sequence")

  const attemptsOf = (row: DeliveryRow, body: string): Effect.Effect<Delivery["attempts"], SqlError> =>
    row.attempts === 0
      ? Effect.succeed([])
      : Effect.flatMap(
          sql<{ readonly document: string }>`
            SELECT document FROM delivery_attempts WHERE sequence = ${row.sequence} ORDER BY place`,
          (found) => Effect.forEach(found, ({ document }) => texts.decode(document, body))
        )

  const deliveryOf = (row: DeliveryRow): Effect.Effect<Delivery, SqlError> => {
    const fixed = JSON.parse(row.document) as Fixed
    const state = JSON.parse(row.state_document) as Delivery["state"]
    return Effect.map(attemptsOf(row, fixed.body), (attempts) => ({ ...fixed, state, attempts }))
  }

  const all = (rows: Effect.Effect<ReadonlyArray<DeliveryRow>, SqlError>) =>
    Effect.flatMap(rows, (found) => Effect.forEach(found, deliveryOf))

  const conditions = ({ automationId, destinationId, recordingUuid, state }: DeliveryFilter) =>
    sql.and([
      ...(state === undefined ? [] : [sql`d.state = ${state}`]),
      ...(automationId === undefined ? [] : [sql`d.automation_id = ${automationId}`]),
      ...(destinationId === undefined ? [] : [sql`d.destination_id = ${destinationId}`]),
      ...(recordingUuid === undefined ? [] : [sql`d.recording_uuid = ${recordingUuid}`])
    ])

  /** Its next attempt on the agenda, or nothing more. */
  const place = (state: Delivery["state"]) => {
    const at = nextAttemptAt(state)
    if (at === null) return Effect.succeed({ kind: null, at: null, order: null })
    return Effect.map(Effect.andThen(agendaChanged, agendaOrder), (order) => ({ kind: "attempt", at, order }))
  }

  const appendAttempts = (sequence: number, { attempts, body }: Delivery, from: number) =>
    Effect.forEach(
      attempts.slice(from),
      (attempt, index) =>
        Effect.flatMap(
          texts.encode(attempt, body),
          (document) => sql`INSERT INTO delivery_attempts (sequence, place, document)
            VALUES (${sequence}, ${from + index}, ${document})`
        ),
      { discard: true }
    )

  const insert = Effect.fnUntraced(function* (delivery: Delivery) {
    const { attempts, state, ...fixed } = delivery
    const due = yield* place(state)
    const [row] = yield* sql<{ readonly sequence: number }>`
      INSERT INTO deliveries (id, account_id, automation_id, destination_id, recording_uuid, receiver, retry, state,
        state_document, attempts, fence, due_kind, due_at, due_order)
      VALUES (${fixed.id}, ${fixed.accountId}, ${fixed.automationId}, ${fixed.destinationId}, ${fixed.recordingUuid},
        ${laneOf(delivery).receiver}, ${retryOf(state)}, ${state._tag}, ${JSON.stringify(state)}, ${attempts.length}, 0,
        ${due.kind}, ${due.at}, ${due.order})
      RETURNING sequence`
    yield* sql`INSERT INTO delivery_documents (sequence, document) VALUES (${row!.sequence}, ${JSON.stringify(fixed)})`
    yield* appendAttempts(row!.sequence, delivery, 0)
  })

  const claimRow = Effect.fnUntraced(function* (row: ClaimedRow, now: Instant, leaseMs: number) {
    const before = yield* deliveryOf(row)
    const fence = row.fence + 1
    const taken = yield* claimOf(row, before, fence, now)
    const { _tag } = taken.delivery.state
    yield* query(
      `UPDATE deliveries SET retry = 1, state = ?, state_document = ?, fence = ?, due_kind = 'lease', due_at = ?,
        due_order = ? WHERE sequence = ?`,
      _tag,
      JSON.stringify(taken.delivery.state),
      fence,
      now + leaseMs,
      yield* agendaOrder,
      row.sequence
    )
    return taken
  })

  const claimOf = (row: ClaimedRow, delivery: Delivery, fence: number, at: Instant): Effect.Effect<Claim> => {
    // Also where whoever was to record it went missing: what is known stays known.
    if (row.held !== null) {
      return Effect.map(texts.decode<AttemptResult>(row.held, delivery.body), (result) => ({
        delivery,
        fence,
        reason: "answered",
        result
      }))
    }
    if (row.due_kind === "lease") return Effect.succeed({ delivery, fence, reason: "lost", result: null })
    const started = decideDelivery(delivery.state, { _tag: "AttemptStarted", at }, scheduleOf(delivery))
    // Only Scheduled and Waiting deliveries have an attempt on the agenda, and both may start one.
    const attempting = { ...delivery, state: Result.getOrThrow(started) }
    return Effect.succeed({ delivery: attempting, fence, reason: "due", result: null })
  }

  const claim = Effect.fnUntraced(function* ({ leaseMs, limit, share }: ClaimOptions) {
    const now = (yield* Clock.currentTimeMillis) as Instant
    const rows = yield* share === undefined ? due(now, limit) : shared(now, limit, share)
    if (rows.length > 0) yield* agendaChanged
    return yield* Effect.forEach(rows, (row) => claimRow(row, now, leaseMs))
  })

  const settle = Effect.fnUntraced(function* ({ delivery: claimed, fence }: Claim, delivery: Delivery) {
    const due = yield* place(delivery.state)
    const [row] = yield* sql<{ readonly sequence: number }>`
      UPDATE deliveries SET retry = ${retryOf(delivery.state)}, state = ${delivery.state._tag},
        state_document = ${JSON.stringify(delivery.state)}, attempts = ${delivery.attempts.length}, held = NULL,
        due_kind = ${due.kind}, due_at = ${due.at}, due_order = ${due.order}
      WHERE id = ${claimed.id} AND fence = ${fence} AND state = 'Attempting' RETURNING sequence`
    if (row === undefined) return false
    yield* appendAttempts(row.sequence, delivery, claimed.attempts.length)
    return true
  })

  const hold = Effect.fnUntraced(function* ({ delivery, fence }: Claim, result: AttemptResult, endsAt: Instant) {
    const held = yield* texts.encode(result, delivery.body)
    yield* agendaChanged
    yield* sql`
      UPDATE deliveries SET held = ${held}, due_kind = 'attempt_end', due_at = ${endsAt}, due_order = ${yield* agendaOrder}
      WHERE id = ${delivery.id} AND fence = ${fence} AND state = 'Attempting'`
  })

  const update = Effect.fnUntraced(function* (delivery: Delivery) {
    const [row] = yield* sql<{ readonly sequence: number; readonly attempts: number }>`
      SELECT sequence, attempts FROM deliveries WHERE id = ${delivery.id}`
    if (row === undefined) return
    const state = sql`retry = ${retryOf(delivery.state)}, state = ${delivery.state._tag}, state_document = ${JSON.stringify(delivery.state)},
      attempts = ${delivery.attempts.length}`
    if (delivery.state._tag === "Attempting") {
      // An attempt that is under way keeps its place: its lease, or the end of its held result.
      yield* sql`UPDATE deliveries SET ${state} WHERE sequence = ${row.sequence}`
    } else {
      const due = yield* place(delivery.state)
      yield* sql`
        UPDATE deliveries SET ${state}, held = NULL, due_kind = ${due.kind}, due_at = ${due.at}, due_order = ${due.order}
        WHERE sequence = ${row.sequence}`
    }
    yield* appendAttempts(row.sequence, delivery, row.attempts)
  })

  return {
    byId: (id) => read(Effect.map(all(sql`SELECT ${columns} FROM ${tables} WHERE d.id = ${id}`), ([one]) => one)),
    list: (filter) => read(all(sql`SELECT ${columns} FROM ${tables} WHERE ${conditions(filter)} ORDER BY d.sequence`)),
    page: (filter, { limit, offset }) =>
      read(
        Effect.zipWith(
          countOf(sql`SELECT count(*) AS count FROM deliveries d WHERE ${conditions(filter)}`),
          all(sql`SELECT ${columns} FROM ${tables} WHERE ${conditions(filter)}
            ORDER BY d.sequence DESC LIMIT ${limit} OFFSET ${offset}`),
          (count, items) => ({ count, items })
        )
      ),
    insert: (delivery) => write(insert(delivery)),
    claim: (options) => transaction(Effect.orDie(claim(options))),
    hold: (claim, result, endsAt) => write(hold(claim, result, endsAt)),
    settle: (claim, delivery) => write(settle(claim, delivery)),
    update: (delivery) => write(update(delivery))
  }
}
