import { DatabaseSync, type StatementSync } from "node:sqlite"
import type { Instant } from "@tapedeck/domain"
import { Clock, Context, Effect, type Fiber, type Scope, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { makeCompilerSqlite } from "effect/sql/Statement"
import type { Database } from "../sql/database/Database.ts"
import { sqliteDialect } from "../sql/database/dialect.ts"
import type { Parameter, Statements } from "../sql/database/statements.ts"
import { makeCounters } from "./counters.ts"
import { makeClaimDue } from "./deliveries/claim.ts"
import { makeRenewLeases } from "./deliveries/leases.ts"
import { makeOutcomes } from "./deliveries/settle.ts"
import { defectOf, sqlErrorOf } from "./errors.ts"
import { GroupCommit, type Member } from "./GroupCommit.ts"

type Row = Record<string, unknown>
type Value = null | number | bigint | string | Uint8Array

/** The code contains a few hundred statements; lists of parameters add some. */
const maxPrepared = 500

/** One connection of `node:sqlite`, which is synchronous. Statements are prepared when they first run, and cached. */
export class SqliteConnection implements Connection {
  readonly file: string
  private readonly database: DatabaseSync
  private readonly prepared = new Map<string, StatementSync>()
  private readonly preparedForArrays = new Map<string, StatementSync>()

  /** Throws a `SqlError` that names the file. */
  constructor(file: string, pragmas: ReadonlyArray<string>, { readOnly = false } = {}) {
    this.file = file
    try {
      this.database = new DatabaseSync(file, { readOnly })
      for (const pragma of pragmas) this.database.exec(`PRAGMA ${pragma}`)
    } catch (cause) {
      throw sqlErrorOf(cause, file)
    }
  }

  /** Runs one statement. Throws a `SqlError`. */
  run(sql: string, params: ReadonlyArray<unknown> = []): ReadonlyArray<Row> {
    try {
      let statement = this.prepared.get(sql)
      if (statement === undefined) {
        statement = this.database.prepare(sql)
        if (this.prepared.size >= maxPrepared) this.prepared.clear()
        this.prepared.set(sql, statement)
      }
      return statement.all(...params.map(valueOf))
    } catch (cause) {
      throw sqlErrorOf(cause, this.file)
    }
  }

  /** Runs a statement without values in its text. Rows are arrays. Fails with a `SqlError`. */
  values<Row extends ReadonlyArray<unknown>>(
    sql: string,
    params: ReadonlyArray<Parameter>
  ): Effect.Effect<ReadonlyArray<Row>, SqlError> {
    try {
      return Effect.succeed(this.forArrays(sql).all(...params) as unknown as ReadonlyArray<Row>)
    } catch (cause) {
      return Effect.fail(sqlErrorOf(cause, this.file))
    }
  }

  /** Runs a statement once with each list, and returns how many rows each changed. Fails with a `SqlError`. */
  changeEach(
    sql: string,
    lists: ReadonlyArray<ReadonlyArray<Parameter>>
  ): Effect.Effect<ReadonlyArray<number>, SqlError> {
    try {
      const statement = this.forArrays(sql)
      return Effect.succeed(lists.map((params) => Number(statement.run(...params).changes)))
    } catch (cause) {
      return Effect.fail(sqlErrorOf(cause, this.file))
    }
  }

  private forArrays(sql: string): StatementSync {
    let statement = this.preparedForArrays.get(sql)
    if (statement === undefined) {
      statement = this.database.prepare(sql)
      statement.setReturnArrays(true)
      this.preparedForArrays.set(sql, statement)
    }
    return statement
  }

  get isInTransaction(): boolean {
    return this.database.isTransaction
  }

  close() {
    this.prepared.clear()
    this.preparedForArrays.clear()
    this.database.close()
  }

  execute: Connection["execute"] = (sql, params, transformRows) =>
    Effect.suspend(() => {
      try {
        const rows = this.run(sql, params)
        return Effect.succeed(transformRows === undefined ? rows : transformRows(rows))
      } catch (error) {
        return Effect.fail(error as SqlError)
      }
    })

  executeRaw: Connection["executeRaw"] = (sql, params) => this.execute(sql, params, undefined)

  executeUnprepared: Connection["executeUnprepared"] = this.execute

  executeValues: Connection["executeValues"] = (sql, params) =>
    Effect.map(this.execute(sql, params, undefined), (rows) => rows.map((row) => Object.values(row)))

  executeValuesUnprepared: Connection["executeValuesUnprepared"] = this.executeValues

  executeStream: Connection["executeStream"] = (sql, params, transformRows) =>
    Stream.fromIterableEffect(this.execute(sql, params, transformRows))
}

/** SQLite has neither booleans nor `undefined`. */
const valueOf = (param: unknown): Value => {
  if (typeof param === "boolean") return param ? 1 : 0
  return param === undefined ? null : (param as Value)
}

/** The writer's connection while its transaction runs, then the reader's, for fibers that the body left behind. */
class TransactionConnection implements Connection {
  readonly member: Member
  private readonly writer: Connection
  private readonly reader: Connection

  constructor(member: Member, writer: Connection, reader: Connection) {
    this.member = member
    this.writer = writer
    this.reader = reader
  }

  private get current(): Connection {
    return this.member.isOver ? this.reader : this.writer
  }

  execute: Connection["execute"] = (...args) => this.current.execute(...args)
  executeRaw: Connection["executeRaw"] = (...args) => this.current.executeRaw(...args)
  executeStream: Connection["executeStream"] = (...args) => this.current.executeStream(...args)
  executeUnprepared: Connection["executeUnprepared"] = (...args) => this.current.executeUnprepared(...args)
  executeValues: Connection["executeValues"] = (...args) => this.current.executeValues(...args)
  executeValuesUnprepared: Connection["executeValuesUnprepared"] = (...args) =>
    this.current.executeValuesUnprepared(...args)
}

const pragmas = [
  // Waits for another process that has the file open for a backup.
  "busy_timeout = 5000",
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  // The unit is KiB. With the default of 2 MiB a count is 22 times slower.
  "cache_size = -16000",
  // The journals of savepoints, which stay in memory up to 64 KiB. With MEMORY they are linked lists that SQLite walks at the end of
  // each statement, so that a statement costs more the more its transaction has changed.
  "temp_store = FILE",
  // The unit is a page of 4 KiB. A checkpoint writes a page once, however often it changed.
  "wal_autocheckpoint = 4000",
  // The size of the log after a checkpoint, in bytes.
  "journal_size_limit = 67108864"
]

/** Opens a connection for as long as the scope lasts. */
const open = (file: string, more: ReadonlyArray<string>): Effect.Effect<SqliteConnection, SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => new SqliteConnection(file, [...pragmas, ...more]),
      catch: (error) => error as SqlError
    }),
    (connection) => Effect.sync(() => connection.close())
  )

/**
 * A SQLite database in a file, which is created if it does not exist. One connection writes, with transactions that commit in
 * groups; another reads what is committed.
 */
export const makeSqliteDatabase = Effect.fnUntraced(function* (file: string) {
  const writer = yield* open(file, [])
  const reader = yield* open(file, ["query_only = ON"])
  const commits = new GroupCommit(writer)

  const client = yield* SqlClient.make({
    acquirer: Effect.succeed(reader),
    borrower: (use) => use(reader),
    transactionAcquirer: Effect.die(new Error("transactions begin with `Database.transaction`")),
    compiler: makeCompilerSqlite(),
    driver: "sqlite-node",
    spanAttributes: [["db.system.name", "sqlite"]]
  }).pipe(Effect.provide(Reactivity.layer))

  /** The fiber's transaction. */
  const memberOf = (fiber: Fiber.Fiber<unknown, unknown>): Member | undefined => {
    const connection = Context.getOrUndefined(fiber.context, client.transactionService)?.[0]
    if (connection === undefined) return undefined
    const { member } = connection as TransactionConnection
    return member.isOver ? undefined : member
  }

  const transaction: Database["transaction"] = (body) =>
    Effect.withFiber((fiber) => {
      if (memberOf(fiber) !== undefined) return body
      return commits.run((member) =>
        Effect.provideService(body, client.transactionService, [new TransactionConnection(member, writer, reader), 0])
      )
    })

  const query: Database["query"] = (text, ...parameters) =>
    Effect.withFiber((fiber) => (memberOf(fiber) === undefined ? reader : writer).values(text, parameters))

  const changeEach: Database["changeEach"] = (text, lists) => writer.changeEach(text, lists)

  const orDie = <A>(body: Effect.Effect<A, SqlError>): Effect.Effect<A> =>
    Effect.catch(body, (error) => Effect.die(defectOf(error, file)))

  const write: Database["write"] = (body) => transaction(orDie(body))
  const statements: Statements = {
    query,
    changeEach,
    now: Effect.map(Clock.currentTimeMillis, (now) => now as Instant)
  }

  const database: Database = {
    ...statements,
    sql: Object.assign(client, { withTransaction: transaction }),
    dialect: sqliteDialect,
    identity: Effect.undefined,
    transaction,
    isInTransaction: (fiber) => memberOf(fiber) !== undefined,
    read: orDie,
    write,
    // SQLite has one process, whose transactions run one after another.
    readCommitted: write,
    autocommit: write,
    afterCommit: (callback) =>
      Effect.withFiber((fiber) => {
        memberOf(fiber)?.callbacks.add(callback)
        return Effect.void
      }),
    counters: makeCounters(query),
    deliveries: {
      claimDue: makeClaimDue(statements),
      renewLeases: makeRenewLeases(statements),
      ...makeOutcomes(statements),
      batching: { pause: Effect.void, concurrency: 1 }
    },
    lockKey: () => Effect.succeed(true),
    auditEntriesSettledUntil: () => Effect.succeed(Number.MAX_SAFE_INTEGER),
    peers: {
      isPossible: false,
      isReporter: Effect.succeed(true),
      notify: () => {},
      onNotified: () => {},
      notifyChanges: () => {},
      onChanges: () => {}
    }
  }
  return { database }
})
