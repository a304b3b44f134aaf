import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { describe, expect, test, vi } from "vitest"
import { SqliteConnection } from "../src/sqlite/SqliteConnection.ts"
import { everyStatement } from "./everyStatement.ts"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"
import { vault } from "./versions/content.ts"

/** Every statement that runs while the body does. */
const statementsOf = (body: Effect.Effect<unknown>) => {
  const seen = new Set<string>()
  const { changeEach, run, values } = SqliteConnection.prototype
  const note = (sql: string) => seen.add(sql.replace(/\s+/g, " ").trim())
  const spies = [
    vi.spyOn(SqliteConnection.prototype, "run").mockImplementation(function (this: SqliteConnection, sql, params) {
      note(sql)
      return run.call(this, sql, params)
    }),
    vi.spyOn(SqliteConnection.prototype, "values").mockImplementation(function (this: SqliteConnection, sql, params) {
      note(sql)
      return values.call(this, sql, params) as never
    }),
    vi.spyOn(SqliteConnection.prototype, "changeEach").mockImplementation(function (
      this: SqliteConnection,
      sql,
      lists
    ) {
      note(sql)
      return changeEach.call(this, sql, lists)
    })
  ]
  const restore = Effect.sync(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return Effect.as(Effect.ensuring(body, restore), seen)
}

/** How SQLite is to find what a statement asks for. */
const plansOf = (database: DatabaseSync, statement: string): ReadonlyArray<string> =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .all()
    .map(({ detail }) => String(detail))

/** What it is to walk through from end to end for the statement, or to sort. */
const walksOf = (database: DatabaseSync, statement: string): ReadonlyArray<string> =>
  plansOf(database, statement).filter((detail) => /^SCAN (?!CONSTANT ROW)|TEMP B-TREE/.test(detail))

const nextDue = "WITH free AS ( SELECT sequence, due_at AS at, due_order, due"

describe("the statements of the store", () => {
  test("find what they need by an index: none walks a table but those that list all of it, or are shown its beginning", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const store = yield* openStore(directory, vault)
      const statements = yield* statementsOf(everyStatement(store))
      const database = new DatabaseSync(databaseIn(directory), { readOnly: true })
      // Turning a receiver off finds what it calls off without its history.
      const open = [...statements].filter((statement) => statement.includes("q.receiver = ? AND d.destination_id"))
      expect(plansOf(database, open[0]!)[0]).toContain("INDEX delivery_queue_lanes (receiver=?")
      const walks = [...statements]
        .filter((statement) => /^(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(statement))
        .flatMap((statement) => walksOf(database, statement).map((walk) => `${walk}: ${statement.slice(0, 60)}`))
      database.close()
      expect(statements.size).toBeGreaterThan(50)
      expect(walks.toSorted()).toEqual([
        "SCAN accounts: SELECT document FROM accounts ORDER BY id",
        // From the newest on, as far as the first that is old enough.
        "SCAN audit_entries: SELECT at FROM audit_entries WHERE at <= ? ORDER BY id DESC ",
        // All deliveries: the emulator's and the tests' question alone.
        "SCAN d: SELECT d.sequence, o.document, o.body, q.state, q.claimed_at",
        // The last one that there is.
        "SCAN deliveries: SELECT sequence FROM deliveries ORDER BY sequence DESC LIMIT",
        // How much waits, and how much is in hand, for those who watch: of what has not ended.
        "SCAN delivery_queue USING COVERING INDEX delivery_queue_lanes: SELECT retry, count(*) FROM delivery_queue GROUP BY receiver",
        // What comes next: from the first on, as far as is asked.
        "SCAN delivery_queue USING INDEX delivery_queue_due: SELECT due_at FROM delivery_queue WHERE leased_until = 0 ORD",
        "SCAN delivery_queue USING INDEX delivery_queue_due: WITH free AS ( SELECT sequence, due_at AS at, due_order, due",
        // Whether there is any: the first there is says so.
        "SCAN file_contents USING COVERING INDEX file_contents_unused: SELECT 1 FROM file_contents WHERE refs = 0 LIMIT 1",
        ...["free", "free"].map((few) => `SCAN ${few}: ${nextDue}`),
        // The recordings of a page, for their views; how many there are, the page says.
        ...Array(5).fill("SCAN page: SELECT page.id, page.revision, (SELECT views FROM recording_"),
        ...["placed", "q"].map((few) => `SCAN ${few}: ${nextDue}`),
        // It has one row.
        "SCAN recording_revisions: INSERT INTO recordings (id, uuid, account_id, owner_id, fold",
        "SCAN recording_revisions: UPDATE recording_revisions SET used = ? WHERE used < ?",
        `SCAN s: ${nextDue}`,
        `SCAN transcript_steps USING INDEX transcript_steps_at: ${nextDue}`,
        // Two rows; and what is open for one receiver, which is counted for its page too.
        "USE TEMP B-TREE FOR GROUP BY: SELECT retry, count(*) FROM delivery_queue WHERE due_at <= ?",
        "USE TEMP B-TREE FOR ORDER BY: SELECT d.sequence, o.document, o.body, q.state, q.claimed_at",
        "USE TEMP B-TREE FOR ORDER BY: SELECT d.sequence, o.document, substr(o.body, 1, 65537), q.s",
        ...["ORDER BY", "ORDER BY", "ORDER BY"].map((sort) => `USE TEMP B-TREE FOR ${sort}: ${nextDue}`)
      ])
    }).pipe(Effect.scoped, Effect.runPromise))
})
