import type { Instant } from "@tapedeck/domain"
import { Clock, Context, Effect, type Fiber, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { makeCompilerSqlite } from "effect/sql/Statement"
import type { Database } from "../sql/Database.ts"
import { sqliteDialect } from "../sql/dialect.ts"
import { GroupCommit, type Member } from "./GroupCommit.ts"
import { SqliteConnection } from "./SqliteConnection.ts"
import { defectOf } from "./trouble.ts"

const pragmas = [
  // Another process may have the file open, to back it up: it is waited for.
  "busy_timeout = 5000",
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  // KiB: with the default of 2 MiB a count is 22 times slower (design.md, what was measured).
  "cache_size = -16000",
  // What a savepoint may have to take back.
  "temp_store = MEMORY",
  // Pages of 4 KiB: writing the log back takes the disk's time, and a page that was written often goes back once.
  "wal_autocheckpoint = 4000",
  // Bytes that the log keeps once it has been written back.
  "journal_size_limit = 67108864"
]

/** The writer's connection while one transaction lasts, and the reader's for what its body left behind. */
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
    return this.member.over ? this.reader : this.writer
  }

  execute: Connection["execute"] = (...args) => this.current.execute(...args)
  executeRaw: Connection["executeRaw"] = (...args) => this.current.executeRaw(...args)
  executeStream: Connection["executeStream"] = (...args) => this.current.executeStream(...args)
  executeUnprepared: Connection["executeUnprepared"] = (...args) => this.current.executeUnprepared(...args)
  executeValues: Connection["executeValues"] = (...args) => this.current.executeValues(...args)
  executeValuesUnprepared: Connection["executeValuesUnprepared"] = (...args) =>
    this.current.executeValuesUnprepared(...args)
}

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
 * A SQLite database in a file, which is made where there is none: one connection writes, with transactions that commit in
 * groups, and one reads what is committed.
 */
export const makeSqliteDatabase = Effect.fnUntraced(function* (file: string) {
  const writer = yield* open(file, [])
  const reader = yield* open(file, ["query_only = ON"])
  const commits = new GroupCommit(writer)

  const client = yield* SqlClient.make({
    acquirer: Effect.succeed(reader),
    borrower: (use) => use(reader),
    transactionAcquirer: Effect.die(new Error("a transaction begins with `Database.transaction`")),
    compiler: makeCompilerSqlite(),
    driver: "sqlite-node",
    spanAttributes: [["db.system.name", "sqlite"]]
  }).pipe(Effect.provide(Reactivity.layer))

  /** The transaction that the fiber is in. */
  const memberOf = (fiber: Fiber.Fiber<unknown, unknown>): Member | undefined => {
    const connection = Context.getOrUndefined(fiber.context, client.transactionService)?.[0]
    if (connection === undefined) return undefined
    const { member } = connection as TransactionConnection
    return member.over ? undefined : member
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

  const database: Database = {
    sql: Object.assign(client, { withTransaction: transaction }),
    dialect: sqliteDialect,
    query,
    changeEach,
    transaction,
    isInTransaction: (fiber) => memberOf(fiber) !== undefined,
    read: orDie,
    write: (body) => transaction(orDie(body)),
    // Transactions are one after another.
    fenced: (body) => transaction(orDie(body)),
    now: Effect.map(Clock.currentTimeMillis, (now) => now as Instant),
    afterCommit: (callback) =>
      Effect.withFiber((fiber) => {
        memberOf(fiber)?.callbacks.add(callback)
        return Effect.void
      })
  }
  return { database }
})
