import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { describe, expect, test, vi } from "vitest"
import { SqliteConnection } from "../src/sqlite/client.ts"
import { vault } from "./content.ts"
import { everyStatement } from "./everyStatement.ts"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"

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
  plansOf(database, statement).filter((detail) =>
    /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES CLAUSE)|TEMP B-TREE/.test(detail)
  )

const jobCounts = "SELECT CASE WHEN id = 'mail' OR id LIKE 'mail %' THEN 'mail'"

const nextDue = "WITH free AS ( SELECT sequence, due_at AS at, due_order, due"

/**
 * The recordings of a page, for their views; and what the text index finds, which is read by its words (`M`) and is 10,001 at
 * most where it is ordered.
 */
const isPageOrFound = (walk: string) =>
  /^(SCAN (page|page LEFT-JOIN|counted|found|s|recording_search VIRTUAL TABLE INDEX \d+:M1.*)|USE TEMP B-TREE FOR ORDER BY): SELECT (page\.id|count\(\*\) FROM \(SELECT 1 FROM recording)/.test(
    walk
  )

/** The 500 changes that the text index takes in at a time, in their order; `=`: by the number of its row. */
const isUpdateOfIndex = (walk: string) =>
  /^(SCAN \(subquery-\d+\)|USE TEMP B-TREE FOR GROUP BY): INSERT INTO recording_search \(|^SCAN recording_search VIRTUAL TABLE INDEX 0:=: DELETE|^SCAN recording_search_changes: SELECT sequence/.test(
    walk
  )

/** The 10,000 deliveries that a search looks at. */
const isLookedAt = (walk: string) =>
  /^SCAN q: SELECT (count\(\*\)|min\(sequence\), count\(\*\)|q\.sequence) FROM \(SELECT sequence/.test(walk)

describe("the statements of the store", () => {
  test("use an index: none scans a table, except those that list all of it or read its beginning", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const store = yield* openStore(directory, vault)
      const statements = yield* statementsOf(everyStatement(store))
      const database = new DatabaseSync(databaseIn(directory), { readOnly: true })
      // Turning a receiver off finds what it calls off without its history.
      const open = [...statements].filter((statement) => statement.includes("q.receiver = ? AND d.destination_id"))
      expect(plansOf(database, open[0]!)[0]).toContain("INDEX delivery_queue_receiver (receiver=?")
      const walks = [...statements]
        .filter((statement) => /^(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(statement))
        .flatMap((statement) => walksOf(database, statement).map((walk) => `${walk}: ${statement.slice(0, 60)}`))
        .filter((walk) => !isPageOrFound(walk) && !isLookedAt(walk) && !isUpdateOfIndex(walk))
      database.close()
      expect(statements.size).toBeGreaterThan(50)
      expect(walks.toSorted()).toEqual([
        "SCAN accounts: SELECT id, document FROM accounts ORDER BY id",
        // From the newest on, as far as the first that is old enough.
        "SCAN audit_entries: SELECT at FROM audit_entries WHERE at <= ? ORDER BY id DESC ",
        `SCAN capture_jobs: ${nextDue}`,
        // All deliveries: the emulator's and the tests' question alone.
        "SCAN d: SELECT d.sequence, o.document, o.body, q.state, q.claimed_at",
        // The last one that there is.
        "SCAN deliveries: SELECT sequence FROM deliveries ORDER BY sequence DESC LIMIT",
        // The metrics: how many deliveries wait and how many are claimed, of those that have not ended.
        "SCAN delivery_queue USING COVERING INDEX delivery_queue_receiver: SELECT retry, count(*) FROM delivery_queue GROUP BY receiver",
        // What comes next: from the first on, as far as is asked.
        "SCAN delivery_queue USING INDEX delivery_queue_due: SELECT due_at FROM delivery_queue WHERE leased_until = 0 ORD",
        "SCAN delivery_queue USING INDEX delivery_queue_due: WITH free AS ( SELECT sequence, due_at AS at, due_order, due",
        // Whether there is any: the first there is says so.
        "SCAN file_contents USING COVERING INDEX file_contents_unused: SELECT 1 FROM file_contents WHERE refs = 0 LIMIT 1",
        ...["free", "free"].map((few) => `SCAN ${few}: ${nextDue}`),
        // The metrics: all jobs that have not ended.
        `SCAN jobs: ${jobCounts}`,
        // The first jobs of each pool.
        ...["mail", "media"].map((pool) => `SCAN ${pool}_jobs: ${nextDue}`),
        ...["placed", "q"].map((few) => `SCAN ${few}: ${nextDue}`),
        // The queues of jobs, each found by its key.
        ...Array(2).fill("SCAN queues: WITH RECURSIVE queues (queue_key) AS ( SELECT min(queue_key)"),
        // The newest of at most 1,000.
        "SCAN recording_origins: SELECT base + 1, 'sqlite', (SELECT token FROM recording_orig",
        // It has one row.
        "SCAN recording_revisions: INSERT INTO recordings (id, uuid, account_id, owner_id, fold",
        "SCAN recording_revisions: UPDATE recording_revisions SET highest = ? WHERE highest < ?",
        ...["step", "upkeep"].map((pool) => `SCAN ${pool}_jobs: ${nextDue}`),
        // The entries after the last link, up to a limit.
        "SCAN waiting: SELECT count(*) FROM (SELECT 1 FROM audit_entries WHERE acco",
        // A row for each kind.
        `USE TEMP B-TREE FOR GROUP BY: ${jobCounts}`,
        // The counters of a period, which is limited.
        ...Array(2).fill("USE TEMP B-TREE FOR GROUP BY: SELECT hour, measure, sum(attempts) FROM attempt_counts WHER"),
        ...Array(2).fill("USE TEMP B-TREE FOR GROUP BY: SELECT receiver, measure, sum(attempts) FROM attempt_counts "),
        // Two rows; and what is open for one receiver, which is counted for its page too.
        "USE TEMP B-TREE FOR GROUP BY: SELECT retry, count(*) FROM delivery_queue WHERE due_at <= ?",
        "USE TEMP B-TREE FOR ORDER BY: SELECT d.sequence FROM delivery_queue q CROSS JOIN deliverie",
        "USE TEMP B-TREE FOR ORDER BY: SELECT d.sequence, o.document, o.body, q.state, q.claimed_at",
        ...["ORDER BY", "ORDER BY", "ORDER BY"].map((sort) => `USE TEMP B-TREE FOR ${sort}: ${nextDue}`)
      ])
    }).pipe(Effect.scoped, Effect.runPromise))
})
