import type { Instant, Receiver } from "@tapedeck/domain"
import {
  type Claim,
  type ClaimOptions,
  type DeliveryQueue,
  type DeliveryStateName,
  decideDelivery,
  type QueueKey
} from "@tapedeck/domain/delivery"
import { MAX_BODY_BYTES } from "@tapedeck/domain/template"
import { Effect, Latch, Result, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { now } from "../now.ts"
import {
  changedColumns,
  claimOf,
  deliveryOf,
  type ListedSqlDelivery,
  type Row,
  type SqlDelivery,
  withoutBody
} from "./columns.ts"

/** A delivery to add to the queue. */
export interface NewDelivery {
  /** `webhook-id` for the receiver: at most 255 visible ASCII characters without a full stop. */
  readonly id: string
  readonly receiver: string
  /** Body of the request, at most 1 MiB of UTF-8. */
  readonly body: string
  /** Account of the delivery. Each account gets a fair share of the worker. Default: 0. */
  readonly accountId?: number
  /** Instant of the first attempt. Default: now. */
  readonly dueAt?: Instant
}

/** A page of deliveries, by id. */
export interface ListOptions {
  /** Id after which the page starts: the last one of the previous page. */
  readonly after?: string
  /** Maximum number of deliveries, from 1 to 100. Default: 100. */
  readonly limit?: number
  /** Id of the receiver. Default: all. */
  readonly receiver?: string
  /** `pending` are deliveries that have not ended. Default: all. */
  readonly state?: "pending" | Extract<DeliveryStateName, "delivered" | "permanently_failed" | "cancelled">
}

/** The delivery was not added, because one of its fields, which the error names, is invalid. */
export class DeliveryRefused extends Schema.TaggedError<DeliveryRefused>()("DeliveryRefused", {
  field: Schema.Literals(["id", "receiver", "body"]),
  problem: Schema.String
}) {
  override get message() {
    return `${this.field}: ${this.problem}`
  }
}

export interface SqlQueueOptions<E> {
  /** Returns the present receiver with this id; undefined if there is none. Called at each attempt. */
  readonly receiverOf: (id: string) => Effect.Effect<Receiver | undefined, E>
  /** Name of the table: letters, digits and `_`. Default: `webhook_deliveries`. */
  readonly table?: string
}

/** A queue of deliveries in one table of your own database, SQLite or PostgreSQL. */
export interface SqlQueue<E> extends DeliveryQueue<SqlDelivery> {
  /** Creates the table and its index if they do not exist. */
  readonly createTable: Effect.Effect<void, SqlError>
  /** Adds a delivery, in the open transaction if there is one, so that the event and its delivery are written together. */
  readonly add: (delivery: NewDelivery) => Effect.Effect<SqlDelivery, DeliveryRefused | SqlError | E>
  /**
   * Returns deliveries in the order of their ids, with their attempts and without their bodies, which `byId` returns. A filter reads the
   * deliveries that it skips, too.
   */
  readonly list: (options?: ListOptions) => Effect.Effect<ReadonlyArray<ListedSqlDelivery>, SqlError>
  /**
   * Sends the body of a delivery again, as a new delivery with its own id to the same receiver, with the receiver's present schedule. Returns
   * undefined if there is no delivery `id`.
   */
  readonly redeliver: (
    id: string,
    newId: string
  ) => Effect.Effect<SqlDelivery | undefined, DeliveryRefused | SqlError | E>
  /** Cancels a delivery. An attempt in flight ends without a retry. Returns false if the delivery had already ended. */
  readonly cancel: (id: string) => Effect.Effect<boolean, SqlError>
  /** Removes up to `limit` deliveries that ended before this instant. Returns their number. */
  readonly prune: (endedBefore: Instant, limit: number) => Effect.Effect<number, SqlError>
}

const maxListed = 100

/** Pattern of `NewDelivery.id`. */
const idPattern = /^[!-\-/-~]{1,255}$/

/**
 * Opens a queue in a table of the database of `SqlClient`. Claims of several processes do not conflict: PostgreSQL skips locked rows. Times
 * are those of the process, so the clocks of nodes should agree within seconds. The log of attempts contains the headers as they were sent,
 * including custom ones.
 *
 * Each claim reads the keys of all due deliveries, and each attempt adds text to the row of its delivery. The queue is designed for
 * backlogs of up to about 100,000 deliveries.
 */
export const makeSqlQueue = Effect.fnUntraced(function* <E>({
  receiverOf,
  table: tableName = "webhook_deliveries"
}: SqlQueueOptions<E>) {
  if (!/^\w{1,50}$/.test(tableName)) {
    return yield* Effect.die(new RangeError("table: a name of at most 50 letters, digits and _ is required"))
  }
  const sql = yield* SqlClient
  const changed = yield* Latch.make(false)
  const table = sql.literal(tableName)
  const skipLocked = sql.onDialectOrElse({
    pg: () => sql.literal("FOR UPDATE SKIP LOCKED"),
    orElse: () => sql.literal("")
  })

  let lastOrder = 0
  /** Returns a number that grows with each call, so that deliveries that are due at the same instant are first in, first out. */
  const nextOrder = (at: Instant) => {
    lastOrder = Math.max(lastOrder + 1, at * 1_000)
    return lastOrder
  }

  /** Wakes the worker of this process after the commit. Workers of other processes poll every second. */
  const wake = sql.afterCommit(Effect.andThen(changed.open, changed.close))

  const rows = (where: Fragment) => sql<Row>`SELECT * FROM ${table} WHERE ${where}`

  const createTable = Effect.gen(function* () {
    yield* sql`
      CREATE TABLE IF NOT EXISTS ${table} (
        id TEXT PRIMARY KEY, account_id BIGINT NOT NULL, receiver TEXT NOT NULL, is_retry INTEGER NOT NULL,
        body TEXT NOT NULL, document TEXT NOT NULL, due_at BIGINT, due_order BIGINT NOT NULL, ended_at BIGINT,
        claimed_at BIGINT, leased_until BIGINT NOT NULL, was_leased INTEGER NOT NULL, fence BIGINT NOT NULL,
        held TEXT, is_cancelled INTEGER NOT NULL, final_state TEXT)`
    yield* sql`
      CREATE INDEX IF NOT EXISTS ${sql.literal(`${tableName}_due`)} ON ${table} (due_at, due_order)
      WHERE due_at IS NOT NULL`
    yield* sql`
      CREATE INDEX IF NOT EXISTS ${sql.literal(`${tableName}_ended`)} ON ${table} (ended_at) WHERE ended_at IS NOT NULL`
  })

  const refuse = (field: DeliveryRefused["field"], problem: string) =>
    Effect.fail(new DeliveryRefused({ field, problem }))

  const add = Effect.fnUntraced(function* ({ accountId = 0, body, dueAt, id, receiver: receiverId }: NewDelivery) {
    if (!idPattern.test(id)) {
      return yield* refuse("id", "1 to 255 visible ASCII characters without a full stop are required")
    }
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) return yield* refuse("body", `more than ${MAX_BODY_BYTES} bytes`)
    const found = yield* receiverOf(receiverId)
    if (found === undefined) return yield* refuse("receiver", `there is no receiver ${receiverId}`)
    const at = yield* now
    const { schedule } = found
    const state = { _tag: "Scheduled", dueAt: dueAt ?? at } as const
    const row = {
      id,
      account_id: accountId,
      receiver: receiverId,
      body,
      due_order: nextOrder(at),
      ended_at: null,
      claimed_at: null,
      leased_until: 0,
      was_leased: 0,
      fence: 0,
      held: null,
      is_cancelled: 0,
      ...changedColumns({ schedule, state, attempts: [] })
    }
    const added = yield* sql<{ readonly id: string }>`
      INSERT INTO ${table} ${sql.insert(row)} ON CONFLICT (id) DO NOTHING RETURNING id`
    if (added.length === 0) return yield* refuse("id", `there is a delivery ${id} already`)
    yield* wake
    const delivery: SqlDelivery = { id, accountId, receiver: receiverId, body, schedule, state, attempts: [] }
    return delivery
  })

  const list = Effect.fnUntraced(function* ({ after = "", limit = maxListed, receiver, state }: ListOptions = {}) {
    if (!Number.isInteger(limit) || limit < 1 || limit > maxListed) {
      return yield* Effect.die(new RangeError(`limit: an integer from 1 to ${maxListed} is required`))
    }
    const where = sql.and([
      sql`id > ${after}`,
      ...(receiver === undefined ? [] : [sql`receiver = ${receiver}`]),
      ...(state === undefined ? [] : [state === "pending" ? sql`due_at IS NOT NULL` : sql`final_state = ${state}`])
    ])
    const listed = yield* sql<Omit<Row, "body">>`
      SELECT id, account_id, receiver, document, due_at, due_order, claimed_at, leased_until, was_leased, fence, held, is_cancelled
      FROM ${table} WHERE ${where} ORDER BY id LIMIT ${limit}`
    return listed.map(withoutBody)
  })

  const redeliver = Effect.fnUntraced(function* (id: string, newId: string) {
    const [row] = yield* rows(sql`id = ${id}`)
    if (row === undefined) return undefined
    return yield* add({ id: newId, accountId: Number(row.account_id), receiver: row.receiver, body: row.body })
  })

  /** Condition of a due delivery that no worker has claimed, or whose lease has expired. */
  const isDue = (at: Instant) => sql`due_at <= ${at} AND leased_until <= ${at}`

  /** Selects and claims deliveries in one statement, so that the claim is atomic. */
  const claimWhere = (at: Instant, leaseMs: number, where: Fragment, limit: number) => sql<Row>`
    UPDATE ${table} SET fence = fence + 1, leased_until = ${at + leaseMs},
      was_leased = CASE WHEN leased_until > 0 THEN 1 ELSE 0 END,
      claimed_at = CASE WHEN leased_until > 0 OR held IS NOT NULL THEN claimed_at ELSE ${at} END
    WHERE id IN (
      SELECT id FROM ${table} WHERE ${where} AND ${isDue(at)} ORDER BY due_at, due_order LIMIT ${limit} ${skipLocked})
    RETURNING *`

  const claimRows = Effect.fnUntraced(function* ({ allocate, leaseMs, limit }: ClaimOptions) {
    const at = yield* now
    if (allocate === undefined) return yield* claimWhere(at, leaseMs, sql`1 = 1`, limit)
    const keys = (yield* sql<Pick<Row, "account_id" | "receiver"> & { readonly is_retry: number | string }>`
      SELECT DISTINCT account_id, receiver, is_retry FROM ${table} WHERE ${isDue(at)}
      ORDER BY account_id, receiver, is_retry`).map(
      (row): QueueKey => ({
        accountId: Number(row.account_id),
        receiver: row.receiver,
        isFirstAttempt: Number(row.is_retry) === 0
      })
    )
    const claimed: Array<Row> = []
    const counts = allocate(keys)
    for (const [index, key] of keys.entries()) {
      const count = Math.min(counts[index] ?? 0, limit - claimed.length)
      if (count <= 0) continue
      const isRetry = key.isFirstAttempt ? 0 : 1
      const ofKey = sql`account_id = ${key.accountId} AND receiver = ${key.receiver} AND is_retry = ${isRetry}`
      claimed.push(...(yield* claimWhere(at, leaseMs, ofKey, count)))
    }
    return claimed
  })

  const inDueOrder = (a: Row, b: Row) =>
    Number(a.due_at) - Number(b.due_at) || Number(a.due_order) - Number(b.due_order)

  const claim = Effect.fnUntraced(function* (options: ClaimOptions) {
    const claimed = (yield* claimRows(options)).toSorted(inDueOrder)
    const receivers = new Map<string, Receiver | undefined>()
    for (const row of claimed) {
      if (!receivers.has(row.receiver)) receivers.set(row.receiver, yield* receiverOf(row.receiver))
    }
    return claimed.map((row) => claimOf(row, receivers.get(row.receiver) ?? null))
  })

  const isOf = ({ delivery, fence }: Claim<SqlDelivery>) => sql`(id = ${delivery.id} AND fence = ${fence})`

  const renew = (claims: ReadonlyArray<Claim<SqlDelivery>>, leaseMs: number) =>
    claims.length === 0
      ? Effect.succeed([])
      : Effect.flatMap(now, (at) =>
          Effect.map(
            sql<Pick<Row, "id" | "fence">>`
              UPDATE ${table} SET leased_until = ${at + leaseMs}
              WHERE leased_until > 0 AND due_at IS NOT NULL AND ${sql.or(claims.map(isOf))} RETURNING id, fence`,
            (renewed) => {
              const fences = new Map(renewed.map(({ fence, id }) => [id, Number(fence)]))
              return claims.map(({ delivery, fence }) => fences.get(delivery.id) === fence)
            }
          )
        )

  /** Settles a claim. Only a later claim or a cancellation can change a row in flight; the update detects both, and the row is read again. */
  const settle: DeliveryQueue<SqlDelivery>["settle"] = (claimed, after) =>
    Effect.gen(function* () {
      while (true) {
        const [row] = yield* rows(
          sql`${isOf(claimed)} AND due_at IS NOT NULL AND (leased_until > 0 OR held IS NOT NULL)`
        )
        if (row === undefined) return null
        const at = yield* now
        const settled = after(deliveryOf(row), at)
        const columns = {
          leased_until: 0,
          was_leased: 0,
          held: null,
          due_order: nextOrder(at),
          ...changedColumns(settled),
          ended_at: "at" in settled.state ? settled.state.at : null
        }
        const written = yield* sql`
          UPDATE ${table} SET ${sql.update(columns)}
          WHERE ${isOf(claimed)} AND is_cancelled = ${row.is_cancelled} AND due_at IS NOT NULL RETURNING id`
        if (written.length > 0) {
          yield* wake
          return settled
        }
      }
    }).pipe(Effect.orDie)

  const cancel = Effect.fnUntraced(function* (id: string) {
    while (true) {
      const [row] = yield* rows(sql`id = ${id} AND due_at IS NOT NULL`)
      if (row === undefined) return false
      const at = yield* now
      const delivery = deliveryOf(row)
      const state = Result.getOrThrow(
        decideDelivery(delivery.state, { _tag: "CancelRequested", at }, delivery.schedule)
      )
      const columns =
        state._tag === "Attempting"
          ? { is_cancelled: 1 }
          : { is_cancelled: 1, ended_at: at, ...changedColumns({ ...delivery, state }) }
      const written = yield* sql`
        UPDATE ${table} SET ${sql.update(columns)}
        WHERE id = ${id} AND fence = ${row.fence} AND leased_until = ${row.leased_until} AND due_at IS NOT NULL RETURNING id`
      if (written.length > 0) return true
    }
  })

  const queue: SqlQueue<E> = {
    createTable,
    add,
    list,
    redeliver,
    cancel,
    prune: (endedBefore, limit) =>
      Effect.map(
        sql`
          DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ended_at < ${endedBefore} LIMIT ${limit})
          RETURNING id`,
        (removed) => removed.length
      ),
    byId: (id) => Effect.orDie(Effect.map(rows(sql`id = ${id}`), ([row]) => row && deliveryOf(row))),
    keyOf: ({ accountId, receiver: id, state }) => ({
      accountId,
      receiver: id,
      isFirstAttempt: state._tag === "Scheduled" || (state._tag === "Attempting" && state.attempt === 1)
    }),
    // A claim is one transaction: if the receivers cannot be read, nothing is claimed.
    claim: (options) => Effect.orDie(sql.withTransaction(claim(options))),
    renew: (claims, leaseMs) => Effect.orDie(renew(claims, leaseMs)),
    hold: (claimed, result, endsAt) =>
      Effect.orDie(
        Effect.asVoid(sql`
          UPDATE ${table} SET held = ${JSON.stringify(result)}, due_at = ${endsAt}, leased_until = 0
          WHERE ${isOf(claimed)} AND leased_until > 0 AND due_at IS NOT NULL`)
      ),
    settle,
    agenda: {
      next: Effect.orDie(
        Effect.map(
          // The end of a lease wakes no worker: each asks every second.
          sql<{ readonly due_at: number | string }>`
            SELECT due_at FROM ${table} WHERE due_at IS NOT NULL AND leased_until = 0 ORDER BY due_at LIMIT 1`,
          ([row]) => row && { at: Number(row.due_at) as Instant, kind: "delivery" }
        )
      ),
      changed: changed.await
    }
  }
  return queue
})
