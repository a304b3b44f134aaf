import { everyStatement } from "@tapedeck/storage/testing/statements"
import { Effect } from "effect"
import { afterAll, expect, test } from "vitest"
import { startInstant } from "../../src/conformance/samples.ts"
import { directory, emptyDatabase, openPostgres, stopPostgres } from "../conformance/postgres.ts"
import { crowd, farPages, listRecordings } from "./crowd.ts"
import { plansOf, walksOf } from "./plans.ts"
import { listenIn } from "./statements.ts"

afterAll(stopPostgres)

/** With the reason; not all versions of PostgreSQL tell of all of them. */
const known = new Set([
  "accounts_pkey: SELECT document FROM accounts ORDER BY id",
  // The end of an index.
  "audit_checkpoints_entry: SELECT max(entry_id) FROM audit_checkpoints",
  "audit_entries_pkey: SELECT coalesce(max(id), 0) FROM audit_entries",
  "audit_entries_pkey: SELECT max(id) FROM audit_entries",
  // An account's entries of some kinds: the index has the kind.
  "audit_entries_account, for (event_type = ANY (ARRAY[$2, $3])): SELECT document FROM audit_entries WHERE id IN ( SELECT id F",
  // Somebody's entries, of some kinds and since some instant.
  "audit_entries_user, for ((event_type = ANY (ARRAY[$2, $3])) AND (at >= $5)): SELECT count(*) AS count FROM audit_entries WHERE (account_i",
  "audit_entries_user, for ((event_type = ANY (ARRAY[$2, $3])) AND (at >= $5)): SELECT document FROM audit_entries WHERE id IN ( SELECT id F",
  "audit_seals_entry: SELECT max(entry_id) FROM audit_seals",
  // What is due next, but for what is in hand; then from the first on, as far as is asked.
  "deliveries_due: SELECT due_at FROM deliveries WHERE due_at IS NOT NULL AND d",
  "deliveries_due: SELECT id, due_kind, due_at, due_order FROM deliveries WHERE",
  // How much waits, and how much is in hand, for those who watch: indexes of just that.
  "deliveries_lanes: SELECT retry, count(*) FROM deliveries WHERE due_at IS NOT N",
  "deliveries_leases: SELECT count(*) FROM deliveries WHERE due_kind = 'lease'",
  // What is open for one receiver, of one state.
  "deliveries_open, for ((automation_id IS NOT NULL) AND (state = $2)): SELECT count(*) FROM deliveries d WHERE 1 = 1 AND d.due_at I",
  "deliveries_open, for ((automation_id IS NOT NULL) AND (state = $2)): SELECT d.sequence, d.state_document, d.attempts, o.document,",
  "deliveries_open, for ((destination_id IS NOT NULL) AND (state = $2)): SELECT d.sequence, d.state_document, d.attempts, o.document,",
  // Whether it still is as it was claimed.
  "deliveries_pkey, for ((t.fence = fence) AND ((t.before)::text = state_document)): WITH settled AS ( UPDATE deliveries d SET retry = t.retry, s",
  // All deliveries: the emulator's and the tests' question alone.
  "delivery_documents_pkey: SELECT d.sequence, d.state_document, d.attempts, o.document,",
  // Whether there is any, and those at a start: indexes of just those.
  "file_contents_unused: SELECT 1 FROM file_contents WHERE refs = 0 LIMIT 1",
  "files_loose: SELECT id FROM files WHERE loose = 1",
  // A recording's files.
  "files_recording, for (id <> ALL (ARRAY[$2, $3, $4, $5])): UPDATE files SET loose = 1 WHERE recording_uuid = $1 AND id ",
  "migrations_pkey: SELECT version, checksum FROM migrations ORDER BY version",
  "transcript_steps_at: SELECT due_order, at, recording_uuid, status FROM transcript"
])

/** Tables of one row, and sequences. */
const isOfOneRow = (walk: string) => /^(numbers_\w+|recording_revisions|test_clock):/.test(walk)

/** All statements behind a store, and what they pass over in a database that has rows in all its tables. */
const walksOfStore = Effect.gen(function* () {
  const database = yield* emptyDatabase
  const place = yield* directory
  const heard = yield* Effect.acquireRelease(
    Effect.promise(() => listenIn(database.url)),
    ({ close }) => Effect.sync(close)
  )
  yield* Effect.promise(() => database.query("UPDATE test_clock SET at = $1", [startInstant]))
  const store = yield* openPostgres(heard.url, place)
  yield* everyStatement(store)
  yield* Effect.promise(async () => {
    await crowd(database, 5_000)
    await listRecordings(database)
    await database.query("VACUUM ANALYZE")
  })
  yield* farPages(store)
  const statements = [...heard.statements].filter((text) => /^(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(text))
  const plans = yield* Effect.promise(() => plansOf(database.url, heard.settings, statements))
  const walks = [...plans].flatMap(([text, nodes]) => walksOf(nodes).map((walk) => `${walk}: ${text.slice(0, 60)}`))
  return { statements, walks: walks.filter((walk) => !isOfOneRow(walk)) }
})

test(
  "none of the store's statements walks a table, but those that list all of it or are shown its beginning",
  () =>
    Effect.gen(function* () {
      const { statements, walks } = yield* walksOfStore
      expect(statements.length).toBeGreaterThan(100)
      // Far from both ends of a list its blocks are looked through.
      expect(statements).toContainEqual(expect.stringMatching(/FROM recording_blocks .* \(from_at, from_id\) > /))
      expect(walks.filter((walk) => !known.has(walk))).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise),
  60_000
)
