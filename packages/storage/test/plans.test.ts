import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { describe, expect, test, vi } from "vitest"
import { migrations } from "../src/sql/migrations/index.ts"
import { SqliteConnection } from "../src/sqlite/SqliteConnection.ts"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"
import { readContent, vault, writeContent } from "./versions/content.ts"

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
  plansOf(database, statement).filter((detail) => /^SCAN|TEMP B-TREE/.test(detail))

describe("the statements of the store", () => {
  test("find what they need by an index: none walks a table but those that list all of it, or are shown its beginning", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const store = yield* openStore(directory, vault)
      const statements = yield* statementsOf(
        Effect.gen(function* () {
          yield* writeContent(store, migrations.length)
          yield* readContent(store)
          yield* store.agenda.next
          yield* store.deliveries.page({ automationId: "a" as never, state: "Waiting" }, { offset: 0, limit: 10 })
          yield* store.deliveries.list({ destinationId: "a" as never, state: "Scheduled" })
          yield* store.deliveries.list({ recordingUuid: "a" as never })
          yield* store.deliveries.claim({ limit: 10, leaseMs: 1, share: (lanes) => lanes.map(() => 1) })
          yield* store.users.countActiveAdmins(1 as never)
          yield* store.users.byEmail("ada@acme.test")
          yield* store.accounts.list
          const [accountId, userId, since, slice] = [1 as never, 1 as never, 0 as never, { offset: 0, limit: 10 }]
          const eventTypes = ["user.login", "recording.updated"] as const
          for (const filter of [
            { userId },
            { since },
            { since, until: since },
            { eventTypes },
            { eventTypes, userId, since }
          ]) {
            yield* store.auditEntries.page({ accountId, ...filter }, slice)
          }
          const { auditSeals } = store
          for (const read of [
            auditSeals.chainKey,
            auditSeals.lastSealed,
            auditSeals.next(9),
            auditSeals.head(accountId)
          ]) {
            yield* read
          }
          yield* auditSeals.nextAccount(0)
          yield* auditSeals.checkpoint(accountId)
          yield* auditSeals.after(accountId, 0, 9)
          yield* auditSeals.unlinked(accountId, 0, 9)
          yield* auditSeals.waiting(accountId)
          const seal = { accountId, seq: 1, entryId: 1 as never, link: "" }
          yield* auditSeals.add({ ...seal, sealedAt: since })
          yield* auditSeals.prune({ ...seal, lastAt: since, prunedAt: since, signature: "" })
          yield* store.deliveries.prune({ madeBefore: 9e15 as never, behind: null, limit: 9 })
          yield* store.mediaJobs.claim({ limit: 1, leaseMs: 1 })
          const { passwords, sessions, signInLinks, tryWindows } = store
          yield* Effect.all([sessions.prune(since), sessions.remove("a" as never), signInLinks.prune(since)])
          yield* Effect.all([signInLinks.removeOf(userId), tryWindows.prune(since), tryWindows.remove("a")])
          yield* Effect.all([passwords.ofUser(userId), sessions.ofUser(userId), sessions.holder("a")])
          yield* store.mediaJobs.ofRecording("a" as never)
        })
      )
      const database = new DatabaseSync(databaseIn(directory), { readOnly: true })
      // Turning a receiver off finds what it calls off without its history.
      const open = [...statements].filter((statement) => statement.includes("d.receiver = ? AND d.destination_id"))
      expect(plansOf(database, open[0]!)[0]).toContain("INDEX deliveries_open (receiver=?)")
      const walks = [...statements]
        .filter((statement) => /^(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(statement))
        .flatMap((statement) => walksOf(database, statement).map((walk) => `${walk}: ${statement.slice(0, 60)}`))
      database.close()
      expect(statements.size).toBeGreaterThan(50)
      expect(walks.toSorted()).toEqual([
        "SCAN accounts: SELECT document FROM accounts ORDER BY id",
        // All deliveries: the emulator's and the tests' question alone.
        "SCAN d: SELECT d.sequence, d.state_document, d.attempts, o.document,",
        // Whether there is any: the first there is says so.
        "SCAN file_contents USING COVERING INDEX file_contents_unused: SELECT 1 FROM file_contents WHERE refs = 0 LIMIT 1",
        // It has one row.
        "SCAN recording_revisions: INSERT INTO recordings (id, uuid, account_id, owner_id, fold",
        // From the first on, as far as is asked.
        "SCAN transcript_steps USING INDEX transcript_steps_at: SELECT due_order, at, recording_uuid, status FROM transcript"
      ])
    }).pipe(Effect.scoped, Effect.runPromise))
})
