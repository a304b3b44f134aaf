import { everyStatement } from "@tapedeck/storage/testing/statements"
import { startInstant } from "@tapedeck/testkit/samples"
import { Effect } from "effect"
import { afterAll, expect, test } from "vitest"
import { directory, emptyDatabase, openPostgres, stopPostgres } from "../conformance/postgres.ts"
import { farPages, fillTables, listRecordings } from "./fillTables.ts"
import { plansOf, walksOf } from "./plans.ts"
import { listenIn } from "./statements.ts"

afterAll(stopPostgres)

/** With the reason; not all versions of PostgreSQL tell of all of them. */
const known = new Set([
  "accounts_pkey: SELECT id, document FROM accounts ORDER BY id",
  // The end of an index.
  "audit_checkpoints_entry: SELECT max(entry_id) FROM audit_checkpoints",
  "audit_entries_pkey: SELECT coalesce(max(id), 0) FROM audit_entries",
  "audit_entries_pkey: SELECT max(id) FROM audit_entries",
  // The newest that does not lie ahead: the last one, unless the clock was put back.
  "audit_entries_pkey: SELECT at FROM audit_entries WHERE at <= $1 ORDER BY id DESC",
  // All accounts once at the start of a process; of at most 1,000 origins, the newest, and those after one.
  "accounts_pkey: SELECT ((SELECT base FROM recording_sync WHERE id = 1) + pg_",
  "recording_origins_pkey: SELECT ((SELECT base FROM recording_sync WHERE id = 1) + pg_",
  "recording_origins_pkey: DELETE FROM recording_origins WHERE starts_at <= ( SELECT st",
  "recording_origins_pkey: SELECT base + pg_snapshot_xmin(pg_current_snapshot())::text:",
  // An account's entries of some kinds: the index has the kind.
  "audit_entries_account, for (event_type = ANY (ARRAY[$, $])): SELECT id, document FROM audit_entries WHERE id IN ( SELECT ",
  // A user's entries, of some kinds and since some instant.
  "audit_entries_user, for ((event_type = ANY (ARRAY[$, $])) AND (at >= $)): SELECT count(*) AS count FROM audit_entries WHERE (account_i",
  "audit_entries_user, for ((event_type = ANY (ARRAY[$, $])) AND (at >= $)): SELECT id, document FROM audit_entries WHERE id IN ( SELECT ",
  "audit_seals_entry: SELECT max(entry_id) FROM audit_seals",
  // The next due delivery that is not claimed; then the first ones up to a limit, and the claimed ones up to there.
  "delivery_queue_due: SELECT due_at FROM delivery_queue WHERE leased_until = 0 ORD",
  "delivery_queue_due: WITH free AS ( SELECT sequence, due_at AS at, due_order, due",
  "delivery_queue_due, for (leased_until > 0): WITH free AS ( SELECT sequence, due_at AS at, due_order, due",
  // The metrics: all jobs that have not ended.
  "jobs: SELECT CASE WHEN id = 'mail' OR id LIKE 'mail %' THEN 'mail'",
  // The rows of one receiver, one for each connection that counts; and the receivers of one account.
  "receiver_health_pkey, for ((failures > 0) AND (shard <> (pg_backend_pid() % 64))): WITH t AS MATERIALIZED ( SELECT * FROM unnest($1::bigint[], ",
  "receiver_health_pkey, for (last_at < $): DELETE FROM receiver_health WHERE account_id = $1 AND last_a",
  // What may be claimed, skipping what is claimed; and the first queue.
  "delivery_queue_due, for (leased_until <= clock_2.now): WITH RECURSIVE clock AS MATERIALIZED (SELECT (SELECT at FROM",
  "delivery_queue_receiver: WITH RECURSIVE clock AS MATERIALIZED (SELECT (SELECT at FROM",
  "delivery_queue_receiver, for (leased_until <= clock_1.now): WITH RECURSIVE clock AS MATERIALIZED (SELECT (SELECT at FROM",
  "delivery_queue_due, for (leased_until <= $): WITH clock AS MATERIALIZED (SELECT $1::bigint AS now), due A",
  // The metrics: how many unfinished deliveries wait, and how many due ones are claimed.
  "delivery_queue_receiver: SELECT retry, count(*) FROM delivery_queue GROUP BY receiver",
  "delivery_queue_due, for (leased_until > 0): SELECT retry, count(*) FROM delivery_queue WHERE due_at <= $",
  // What is open for one receiver, of one state.
  ...[
    "SELECT (SELECT count(*) FROM delivery_queue q CROSS JOIN del",
    // And those less, of what may be delivered.
    "SELECT (SELECT count(*) FROM deliveries d WHERE 1 = 1 AND d.",
    "SELECT d.sequence, o.document, o.body, q.state, q.claimed_at",
    "SELECT d.sequence FROM delivery_queue q CROSS JOIN deliverie"
  ].flatMap((text) => [
    `delivery_queue_receiver, for ((due_kind = 'attempt'::text) AND (leased_until = 0)): ${text}`,
    `deliveries_pkey, for (automation_id IS NOT NULL): ${text}`,
    `deliveries_pkey, for (destination_id IS NOT NULL): ${text}`
  ]),
  // One capture's pieces, most of which are video of one upload.
  "capture_pieces_pkey, for (kind = $): SELECT capture_id || ' ' || sequence AS id, document FROM ca",
  "capture_pieces_pkey, for (upload_id = $): DELETE FROM capture_pieces WHERE capture_id = $1 AND upload_",
  // Whether it still is as it was claimed.
  ...[1, 2].map(
    (t) =>
      `delivery_queue_pkey, for ((t_${t}.fence = fence) AND ((t_${t}.claimed_state)::text = state)): WITH t AS MATERIALIZED ( SELECT * FROM unnest($1::bigint[], `
  ),
  // All deliveries: the emulator's and the tests' question alone.
  "deliveries_pkey: SELECT d.sequence, o.document, o.body, q.state, q.claimed_at",
  "deliveries_pkey: SELECT d.sequence FROM delivery_queue q CROSS JOIN deliverie",
  // The last one that there is.
  "deliveries_pkey: SELECT sequence FROM deliveries ORDER BY sequence DESC LIMIT",
  // What is open for one receiver: what waits, as far as is asked; then all that is left.
  "delivery_queue_receiver, for ((due_kind = 'attempt'::text) AND (leased_until = 0) AND ((sequence + 0) <= $) AND ((SubPlan 1) IS NOT NULL)): SELECT q.sequence FROM delivery_queue q WHERE q.receiver = $",
  "delivery_queue_receiver, for (((sequence + 0) <= $) AND ((SubPlan 1) IS NOT NULL)): SELECT q.sequence, q.state, q.claimed_at, CASE WHEN q.due_ki",
  // Whether there is any, and those at a start: indexes of just those.
  "file_contents_unused: SELECT 1 FROM file_contents WHERE refs = 0 LIMIT 1",
  // Some of the unused content: the index has no other.
  "file_contents_unused: DELETE FROM file_contents WHERE refs + 0 = 0 AND sha256 IN (",
  // What is removed in batches: a batch is found by an index, and each of its rows by its key.
  "file_contents_pkey, for ((refs + 0) = 0): DELETE FROM file_contents WHERE refs + 0 = 0 AND sha256 IN (",
  "files_pkey, for ((unattached_since + 0) <= $): DELETE FROM files WHERE unattached_since + 0 <= $1 AND id IN",
  'try_windows_pkey, for ((ends_at + 0) <= $): DELETE FROM try_windows WHERE ends_at + 0 <= $1 AND "key" IN',
  "sessions_pkey, for ((expires_at + 0) <= $): DELETE FROM sessions WHERE id IN ($1) AND expires_at + 0 <= ",
  "sign_in_links_pkey, for ((expires_at + 0) <= $): DELETE FROM sign_in_links WHERE hash IN ($1) AND expires_at ",
  'try_windows_pkey, for ((ends_at + 0) <= $): DELETE FROM try_windows WHERE "key" IN ($1) AND ends_at + 0 ',
  "capture_tokens_pkey, for ((expires_at + 0) <= $): DELETE FROM capture_tokens WHERE hash IN ($1) AND expires_at",
  // The lists of one folder; and those of all folders, to find the removed ones.
  "recording_lists_folder, for (count = 0): DELETE FROM recording_blocks WHERE list_id IN (SELECT id FRO",
  "recording_lists_folder, for (count = 0): DELETE FROM recording_lists WHERE id IN (SELECT id FROM reco",
  "recording_lists_folder: SELECT l.folder_id, (SELECT r.account_id FROM recordings r W",
  // A recording's files.
  "files_recording, for (unattached_since IS NULL): SELECT coalesce(sum(( SELECT sum(f.size_bytes) FROM files f ",
  "files_recording, for ((unattached_since IS NULL) AND (id <> ALL (ARRAY[$, $, $, $]))): UPDATE files SET unattached_since = $1 WHERE recording_uuid ",
  "files_recording, for ((unattached_since IS NULL) AND (id <> $)): UPDATE files SET unattached_since = $1 WHERE recording_uuid ",
  "files_recording, for (unattached_since IS NULL): UPDATE files SET unattached_since = $1 WHERE recording_uuid ",
  // Whether the claim of one job is its last, and whether one job is available.
  "jobs_pkey, for (fence = $): UPDATE jobs SET available_at = $1 WHERE id = $2 AND fence = ",
  "jobs_pkey, for (fence = $): UPDATE jobs SET due_at = $1, available_at = $2, due_order = ",
  "jobs_pkey, for ((available_at <= $) OR (available_at = due_at)): SELECT id, document FROM jobs WHERE id = $1 AND (available_a",
  "jobs_pkey, for (fence = $): DELETE FROM jobs WHERE id = $1 AND fence = $2 RETURNING id",
  // Whether the window of one key still ends when it did.
  // The words of one transcript, if they changed; and the recordings of a page whose transcripts have a word of the search.
  "recordings_pkey, for (spoken <> $): UPDATE recordings SET spoken = $1 WHERE id = $2 AND spoken <",
  "recordings_pkey, for (((spoken || ' '::text) ~~ $) OR ((spoken || ' '::text) ~~ $)): SELECT id FROM recordings WHERE id IN ($1, $2) AND (spoken |",
  // A search for a UUID reads one row, and tests whether it is in the list.
  "recordings_uuid, for ((' '::text || search) ~~ $): SELECT count(*) FROM (SELECT 1 FROM recordings WHERE uuid = ",
  "recordings_uuid, for ((' '::text || search) ~~ $): SELECT page.id, page.revision, (SELECT views FROM recording_",
  ...["created_at", "title_order", "duration"].flatMap((column) =>
    [">", "<"].map(
      (sign) =>
        `recordings_uuid, for (((' '::text || search) ~~ $) AND (ROW(${column}, id) ${sign} ROW($, $))): SELECT page.id, page.revision, (SELECT views FROM recording_`
    )
  ),
  "try_windows_pkey, for ((ends_at + 0) = $): UPDATE try_windows SET ends_at = $1, tries = tries - $2 WHER",
  // The first queue of jobs; of each, the jobs in flight.
  "jobs_queue: WITH RECURSIVE queues (queue_key) AS ( SELECT min(queue_key)",
  "jobs_claimed, for (available_at > $): SELECT id, document FROM jobs WHERE queue_key = $1 AND avail",
  "jobs_claimed, for (available_at > $): WITH RECURSIVE queues (queue_key) AS ( SELECT min(queue_key)",
  "migrations_pkey: SELECT max(version) FROM migrations",
  "migrations_pkey: SELECT version, checksum FROM migrations ORDER BY version",
  // A row for each process of the last day; once a process.
  "view_batches: DELETE FROM view_batches WHERE at < $1"
])

/** Which of a receiver's deliveries ended so: the index has the receiver, and versions of PostgreSQL word the rest each its way. */
const isOfOneReceiver = (walk: string) => /^deliveries_(automation|destination), for .*\bended_as\b/.test(walk)

/** What a search tests the 10,000 deliveries for that it looks at. */
const isLookedAt = (walk: string) =>
  /^(deliver\w+_(automation|destination|recording)|delivery_(documents|attempts)_pkey), for .*: SELECT (count\(\*\)|q\.sequence) FROM \(SELECT sequence/.test(
    walk
  )

/** PostgreSQL's statistics of the text index, which has one column: versions filter in another order. */
const isOfStatistics = (walk: string) => /^pg_\w+_index, for .*: SELECT c\.reltuples/.test(walk)

/** Tables of one row, and sequences. */
const isOfOneRow = (walk: string) =>
  /^(numbers_\w+|recording_revisions|test_clock):|^recording_sync(_pkey)?\b/.test(walk)

/** What empties as work is done. Cleaned while empty, PostgreSQL takes it for empty until it is cleaned again. */
const passing = ["delivery_queue", "jobs", "sign_in_links", "sessions", "try_windows"]

/**
 * All statements behind a store, and what they pass over: in a new database, in one that has rows in all its tables, and in
 * one where all was done when PostgreSQL looked last.
 */
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
    await fillTables(database, 5_000)
    await listRecordings(database)
    await database.query("VACUUM ANALYZE")
  })
  yield* farPages(store)
  const statements = [...heard.statements].filter((text) => /^(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(text))
  const walksIn = ({ url }: typeof database) =>
    Effect.promise(async () => {
      const plans = await plansOf(url, heard.settings, statements)
      const all = [...plans].flatMap(([text, nodes]) => walksOf(nodes).map((walk) => `${walk}: ${text.slice(0, 60)}`))
      const isKnown = [isOfOneRow, isOfOneReceiver, isOfStatistics, isLookedAt]
      return all.filter((walk) => !isKnown.some((is) => is(walk)))
    })
  const fresh = yield* walksIn(yield* emptyDatabase)
  const full = yield* walksIn(database)
  yield* Effect.promise(async () => {
    await database.query(`DELETE FROM ${passing.join("; DELETE FROM ")}`)
    await database.query("VACUUM ANALYZE")
  })
  return { statements, fresh, full, done: yield* walksIn(database) }
})

test(
  "no statement of the store scans a table, except those that list all of it or read its beginning",
  () =>
    Effect.gen(function* () {
      const { full, done, fresh, statements } = yield* walksOfStore
      expect(statements.length).toBeGreaterThan(100)
      // Far from both ends of a list its blocks are looked through.
      expect(statements).toContainEqual(expect.stringMatching(/FROM recording_blocks .* \(from_at, from_id\) > /))
      expect(fresh.filter((walk) => !known.has(walk))).toEqual([])
      expect(full.filter((walk) => !known.has(walk))).toEqual([])
      expect(done.filter((walk) => !known.has(walk))).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise),
  60_000
)
