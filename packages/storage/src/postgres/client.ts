import { PgClient, PgPool } from "@effect/sql-pg"
import type { Instant } from "@tapedeck/domain"
import { Context, Effect, type Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/Database.ts"
import { onWallClock, StatementConnection, statementsOf, valuesOf } from "./connection.ts"
import { sequenceCounters } from "./counters.ts"
import { listWrites } from "./deliveryWrites.ts"
import { postgresDialect } from "./dialect.ts"
import { encryptionOf } from "./encryption.ts"
import type { ListQuery } from "./ListQuery.ts"
import { lockKey, settledAuditEntries } from "./locks.ts"
import { makeOthers } from "./others.ts"
import { numbered } from "./placeholders.ts"
import { renewLeases } from "./renewLeases.ts"
import { lockingTakeDue } from "./takeDue.ts"
import { type Transaction, Transactions } from "./transactions.ts"
import { defectOf } from "./trouble.ts"
import { types } from "./types.ts"

export interface ClientOptions {
  readonly url: Redacted.Redacted
  /** How errors name the database. */
  readonly name: string
  /** Connections at most; one more listens. */
  readonly connections: number
  /** What its sessions are called (atWork.ts). */
  readonly application: string
  /** What time it is, in SQL: milliseconds since 1970. */
  readonly clock: string
  /** For who looks through all there is: statements that go through whole tables. */
  readonly wholeTables?: boolean
}

/** By the server's own clock, and not that of the transaction's begin. */
export const serverClock = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

/** What every connection is told as it begins. */
const sessionSettings = {
  // Plans are made once a statement and not for each value: our statements' plans do not depend on them.
  plan_cache_mode: "force_generic_plan",
  // Whoever was stopped or lost in the middle of a transaction holds others up for less than these wait for an answer; a node
  // that was only slow, as nodes are for seconds, is not ended, and one that was ended runs its transaction again.
  idle_in_transaction_session_timeout: "10000",
  timezone: "UTC"
}

/**
 * The same plans for the first row and the millionth, as on SQLite: what is asked for is found by an index, row by row. Left
 * to choose, PostgreSQL goes by averages, which one large account among small ones is far from, and it keeps a walk through
 * a table for as long as a connection lasts once it has planned it while the table was empty.
 */
const byIndexAlone = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // To start others to help takes longer than any of these statements, and is tempting where a large table is only touched.
  max_parallel_workers_per_gather: "0",
  // It is for statements that run for seconds, which it tells by costs that mean nothing where a way is turned off.
  jit: "off"
}

/** The connection of a transaction as long as its body runs, and then the pool, for what the body left behind. */
class TransactionConnection extends StatementConnection {
  readonly transaction: Transaction

  constructor(transaction: Transaction, pool: PgPool.PgPool) {
    const outside = statementsOf(pool)
    super(() => (transaction.over ? outside : transaction.statements))
    this.transaction = transaction
  }
}

const poolOptions = (
  { application, connections, url, wholeTables }: Omit<ClientOptions, "name" | "clock">,
  encryption: ReturnType<typeof encryptionOf>
): PgPool.Config => ({
  ...encryption,
  url,
  types,
  maxConnections: connections,
  idleTimeout: "5 minutes",
  keepAlive: "30 seconds",
  applicationName: application,
  startupParameters: wholeTables ? sessionSettings : { ...sessionSettings, ...byIndexAlone },
  preparedStatementCacheSize: 500
})

/** A PostgreSQL database, by as many connections as there are transactions at a time. */
export const makePostgresDatabase = Effect.fnUntraced(function* (options: ClientOptions) {
  const { clock, name } = options
  const encryption = yield* Effect.try({
    try: () => encryptionOf(Redacted.value(options.url)),
    catch: (cause) =>
      new SqlError({ reason: new ConnectionError({ cause, message: String(cause), operation: "connect" }) })
  })
  const pool = yield* onWallClock(PgPool.make(poolOptions(options, encryption)))
  const transactions = new Transactions(pool, name)
  const outside = statementsOf(pool)
  const connection = new StatementConnection(() => outside)

  const client = yield* SqlClient.make({
    acquirer: Effect.succeed(connection),
    borrower: (use) => use(connection),
    transactionAcquirer: Effect.die(new Error("a transaction begins with `Database.transaction`")),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]]
  }).pipe(Effect.provide(Reactivity.layer))

  /** The transaction that the fiber is in. */
  const transactionOf = (fiber: Fiber.Fiber<unknown, unknown>): Transaction | undefined => {
    const current = Context.getOrUndefined(fiber.context, client.transactionService)?.[0]
    if (current === undefined) return undefined
    const { transaction } = current as TransactionConnection
    return transaction.over ? undefined : transaction
  }

  const by =
    (kind: "isolated" | "fenced" | "apart") =>
    <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        if (transactionOf(fiber) !== undefined) return body
        return transactions[kind]((transaction) =>
          Effect.provideService(body, client.transactionService, [new TransactionConnection(transaction, pool), 0])
        )
      })

  const transaction: Database["transaction"] = by("isolated")
  const fenced = by("fenced")
  const apart = by("apart")

  const query: ListQuery = (text, ...parameters) =>
    Effect.withFiber((fiber) => valuesOf(transactionOf(fiber)?.statements ?? outside, numbered(text), parameters))

  const orDie = <A>(body: Effect.Effect<A, SqlError>): Effect.Effect<A> =>
    Effect.catch(body, (error) => Effect.die(defectOf(error, name)))

  const database: Database = {
    sql: Object.assign(client, { withTransaction: transaction }),
    dialect: postgresDialect,
    query,
    changeEach: (text, lists) =>
      Effect.forEach(lists, (list) => Effect.map(query(`${text} RETURNING 1`, ...list), (rows) => rows.length)),
    transaction,
    isInTransaction: (fiber) => transactionOf(fiber) !== undefined,
    read: orDie,
    write: (body) => transaction(orDie(body)),
    fenced: (body) => fenced(orDie(body)),
    apart: (body) => apart(orDie(body)),
    // A receiver's answer is not held up by the pause: only the record that it was given. While one batch is on its way there
    // and back, PostgreSQL has another to write.
    crowd: { pause: onWallClock(Effect.sleep("5 millis")), atATime: 2 },
    now: orDie(Effect.map(query<[number]>(`SELECT ${clock}`), ([row]) => row![0] as Instant)),
    afterCommit: (callback) =>
      Effect.withFiber((fiber) => {
        transactionOf(fiber)?.callbacks.add(callback)
        return Effect.void
      }),
    counters: sequenceCounters(query),
    takeDue: lockingTakeDue(query, clock),
    deliveryWrites: listWrites(query),
    renewLeases: renewLeases(query, clock),
    lockKey: lockKey(query),
    auditEntriesUntil: fenced(settledAuditEntries(query)),
    others: yield* makeOthers(pool)
  }
  return { database, pool }
})
