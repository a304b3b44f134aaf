import { PgClient, PgPool } from "@effect/sql-pg"
import type { Instant } from "@tapedeck/domain"
import { Context, Effect, type Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import type { Database, Peers } from "../sql/database/Database.ts"
import {
  type ListQuery,
  numbered,
  onWallClock,
  type Session,
  StatementConnection,
  sessionOf,
  valuesOf
} from "./connection.ts"
import { makeCounters } from "./counters.ts"
import { sessionWithDeadline } from "./deadline.ts"
import { makeClaimDue } from "./deliveries/claim.ts"
import { makeRenewLeases } from "./deliveries/leases.ts"
import { makeOutcomes } from "./deliveries/settle.ts"
import { postgresDialect } from "./dialect.ts"
import { encryptionOf } from "./encryption.ts"
import { defectOf } from "./errors.ts"
import { makeAuditEntriesSettledUntil, makeLockKey } from "./locks.ts"
import { type Transaction, Transactions } from "./transactions.ts"
import { types } from "./types.ts"

interface PoolOptions {
  readonly url: Redacted.Redacted
  /** Maximum number of connections, besides the one that listens. */
  readonly connections: number
  /** The `application_name` of its sessions (sessions.ts). */
  readonly application: string
  /** Permits table scans, for inspections. */
  readonly wholeTables?: boolean
}

interface DatabaseOptions {
  /** Name of the database in errors. */
  readonly name: string
  /** An SQL expression of the time in milliseconds since 1970. */
  readonly clock: string
  /** Maximum time of a statement (deadline.ts). Those of commands and migrations take as long as they need. */
  readonly deadlineMs?: number | undefined
  readonly peers: Peers
}

/** The server's clock at this moment, not at the begin of the transaction. */
export const serverClock = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

/** Settings of every connection. */
const sessionSettings = {
  // One plan for each statement, not for each value: the best plans do not depend on the values.
  plan_cache_mode: "force_generic_plan",
  // Ends the transaction of a node that was suspended or lost, before others time out. A node that is slow for some seconds is not
  // affected; a transaction that was ended runs again.
  idle_in_transaction_session_timeout: "10000",
  timezone: "UTC"
}

/**
 * Makes PostgreSQL find rows by indexes, with the same plans for one row and for millions, as SQLite does. By default it plans by
 * averages, which do not describe one large account among small ones; and a table scan that was planned while the table was empty
 * is kept as long as the connection.
 */
const indexScansOnly = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // Starting parallel workers takes longer than any of these statements.
  max_parallel_workers_per_gather: "0",
  // JIT helps statements that run for seconds, which it recognises by costs; disabled plan types make these meaningless.
  jit: "off"
}

/** The transaction's connection while its body runs, then the pool, for fibers that the body left behind. */
class TransactionConnection extends StatementConnection {
  readonly transaction: Transaction

  constructor(transaction: Transaction, outside: Session) {
    super(() => (transaction.isOver ? outside : transaction.session))
    this.transaction = transaction
  }
}

const poolOptions = (
  { application, connections, url, wholeTables }: PoolOptions,
  encryption: ReturnType<typeof encryptionOf>
): PgPool.Config => ({
  ...encryption,
  url,
  types,
  maxConnections: connections,
  idleTimeout: "5 minutes",
  keepAlive: "30 seconds",
  applicationName: application,
  startupParameters: wholeTables ? sessionSettings : { ...sessionSettings, ...indexScansOnly },
  preparedStatementCacheSize: 500
})

/** The connections to a PostgreSQL database. */
export const makePostgresPool = Effect.fnUntraced(function* (options: PoolOptions) {
  const encryption = yield* Effect.try({
    try: () => encryptionOf(Redacted.value(options.url)),
    catch: (cause) =>
      new SqlError({ reason: new ConnectionError({ cause, message: String(cause), operation: "connect" }) })
  })
  return yield* onWallClock(PgPool.make(poolOptions(options, encryption)))
})

/** A PostgreSQL database. Each transaction occupies one connection of the pool. */
export const makePostgresDatabase = Effect.fnUntraced(function* (pool: PgPool.PgPool, options: DatabaseOptions) {
  const { clock, deadlineMs, name, peers } = options
  const transactions = new Transactions({ pool, name, deadlineMs })
  const outside = sessionWithDeadline(sessionOf(pool), deadlineMs)
  const connection = new StatementConnection(() => outside)

  const client = yield* SqlClient.make({
    acquirer: Effect.succeed(connection),
    borrower: (use) => use(connection),
    transactionAcquirer: Effect.die(new Error("transactions begin with `Database.transaction`")),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]]
  }).pipe(Effect.provide(Reactivity.layer))

  /** The fiber's transaction. */
  const transactionOf = (fiber: Fiber.Fiber<unknown, unknown>): Transaction | undefined => {
    const current = Context.getOrUndefined(fiber.context, client.transactionService)?.[0]
    if (current === undefined) return undefined
    const { transaction } = current as TransactionConnection
    return transaction.isOver ? undefined : transaction
  }

  const by =
    (kind: "serializable" | "readCommitted" | "autocommit") =>
    <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        if (transactionOf(fiber) !== undefined) return body
        return transactions[kind]((transaction) =>
          Effect.provideService(body, client.transactionService, [new TransactionConnection(transaction, outside), 0])
        )
      })

  const transaction: Database["transaction"] = by("serializable")
  const readCommitted = by("readCommitted")
  const autocommit = by("autocommit")
  const isInTransaction = (fiber: Fiber.Fiber<unknown, unknown>) => transactionOf(fiber) !== undefined

  const query: ListQuery = (text, ...parameters) =>
    Effect.withFiber((fiber) => valuesOf(transactionOf(fiber)?.session ?? outside, numbered(text), parameters))

  const orDie = <A>(body: Effect.Effect<A, SqlError>): Effect.Effect<A> =>
    Effect.catch(body, (error) => Effect.die(defectOf(error, name)))

  const database: Database = {
    sql: Object.assign(client, { withTransaction: transaction }),
    dialect: postgresDialect,
    identity: identityOf(query),
    query,
    changeEach: (text, lists) =>
      Effect.forEach(lists, (list) => Effect.map(query(`${text} RETURNING 1`, ...list), (rows) => rows.length)),
    transaction,
    isInTransaction,
    read: orDie,
    write: (body) => transaction(orDie(body)),
    readCommitted: (body) => readCommitted(orDie(body)),
    autocommit: (body) => autocommit(orDie(body)),
    now: orDie(Effect.map(query<[Instant]>(`SELECT ${clock}`), ([row]) => row![0])),
    afterCommit: (callback) =>
      Effect.withFiber((fiber) => {
        transactionOf(fiber)?.callbacks.add(callback)
        return Effect.void
      }),
    counters: makeCounters(query),
    deliveries: {
      claimDue: makeClaimDue(query, clock),
      renewLeases: makeRenewLeases(query, clock),
      ...makeOutcomes(query),
      // The pause delays only the record of an attempt. PostgreSQL writes one batch while another is on its way there or back.
      batching: { pause: onWallClock(Effect.sleep("5 millis")), concurrency: 2 }
    },
    lockKey: makeLockKey(query),
    auditEntriesSettledUntil: makeAuditEntriesSettledUntil({ query, readCommitted, isInTransaction }),
    peers
  }
  return database
})

/**
 * The cluster's number and the database's in it: a dump has neither. A physical copy of the cluster, as its replicas are, has both.
 * Undefined if the user may not read them.
 */
const identityOf = (query: ListQuery): Effect.Effect<string | undefined, SqlError> =>
  query<readonly [string]>(
    "SELECT system_identifier || '/' || oid FROM pg_control_system(), pg_database WHERE datname = current_database()"
  ).pipe(
    Effect.map(([row]) => row?.[0]),
    Effect.catchIf(
      ({ reason }) => reason._tag === "AuthorizationError",
      () => Effect.undefined
    )
  )
