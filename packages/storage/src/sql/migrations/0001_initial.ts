import type { Dialect } from "../database/dialect.ts"
import type { Migration } from "../database/migrate.ts"

/**
 * All tables of the first release. A domain object that is always read whole, and never searched, is one JSON text: `document`.
 * Secrets are in `sealed`, encrypted (S3); `hash` is a keyed hash of a secret that is itself stored nowhere.
 */
export const initial: Migration = {
  version: 1,
  name: "initial",
  statements: (dialect) => [
    ...dialect.ownTables,
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    `CREATE TABLE counters (kind TEXT PRIMARY KEY, value ${dialect.integer} NOT NULL)`,
    ...accountTables(dialect),
    ...signInTables(dialect),
    ...requestTables(dialect),
    ...recordingTables(dialect),
    ...recordingListTables(dialect),
    ...fileTables(dialect),
    ...automationTables(dialect),
    ...captureTables(dialect),
    ...deliveryTables(dialect),
    ...auditTables(dialect),
    ...jobTables(dialect)
  ]
}

const accountTables = ({ clustered, integer, integerKey }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE accounts (id ${integerKey}, document TEXT NOT NULL)`,

  `CREATE TABLE users (
    id ${integerKey},
    account_id ${integer} NOT NULL,
    email_key TEXT NOT NULL,
    active_admin ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    document TEXT NOT NULL,
    active ${integer} NOT NULL
  )`,
  "CREATE UNIQUE INDEX users_email ON users (email_key)",
  "CREATE INDEX users_account ON users (account_id, created_at, id)",
  "CREATE INDEX users_active_admins ON users (account_id) WHERE active_admin = 1",
  // The words by which a search finds the recordings of a user.
  `CREATE TABLE user_words (
    account_id ${integer} NOT NULL,
    word TEXT NOT NULL,
    user_id ${integer} NOT NULL,
    PRIMARY KEY (account_id, word, user_id)
  )${clustered}`,
  "CREATE INDEX user_words_user ON user_words (user_id)",

  `CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    user_id ${integer} NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    revoked_at ${integer},
    last_used_at ${integer}
  )`,
  "CREATE UNIQUE INDEX tokens_hash ON tokens (hash)",
  "CREATE INDEX tokens_user ON tokens (user_id, created_at, id) WHERE kind = 'access' AND revoked_at IS NULL"
]

/** Sessions, passwords, one-time links, and the number of tries in a time window. */
const signInTables = ({ integer, integerKey }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id ${integer} NOT NULL,
    hash TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    expires_at ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
  "CREATE UNIQUE INDEX sessions_hash ON sessions (hash)",
  "CREATE INDEX sessions_user ON sessions (user_id, created_at, id)",
  "CREATE INDEX sessions_expiry ON sessions (expires_at)",

  `CREATE TABLE passwords (user_id ${integerKey}, sealed TEXT NOT NULL, changed_at ${integer} NOT NULL)`,

  // `user_id` is 0 in the link that creates the first admin.
  `CREATE TABLE sign_in_links (
    hash TEXT PRIMARY KEY,
    user_id ${integer} NOT NULL,
    purpose TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    expires_at ${integer} NOT NULL
  )`,
  "CREATE INDEX sign_in_links_user ON sign_in_links (user_id)",
  "CREATE INDEX sign_in_links_expiry ON sign_in_links (expires_at)",

  `CREATE TABLE try_windows ("key" TEXT PRIMARY KEY, tries ${integer} NOT NULL, ends_at ${integer} NOT NULL)`,
  "CREATE INDEX try_windows_end ON try_windows (ends_at)"
]

/** Rate limits by token, and answers to requests with an `Idempotency-Key`. */
const requestTables = ({ integer, sequenceKey, unlogged }: Dialect): ReadonlyArray<string> => [
  `CREATE ${unlogged}TABLE rate_windows (token_id TEXT PRIMARY KEY, started_at ${integer} NOT NULL, requests ${integer} NOT NULL)`,

  `CREATE TABLE idempotency_keys (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    caller TEXT NOT NULL,
    sealed TEXT NOT NULL,
    expires_at ${integer} NOT NULL
  )`,
  "CREATE INDEX idempotency_keys_caller ON idempotency_keys (caller, sequence)",
  "CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)"
]

/** The order of commits of recordings (docs/adr/0051-changes-in-the-order-of-commits.md). */
const changeTables = ({
  clustered,
  integer,
  integerKey,
  sequenceKey
}: Pick<Dialect, "clustered" | "integer" | "integerKey" | "sequenceKey">): ReadonlyArray<string> => [
  // One row. `base`: what marks are counted from. `forgotten`: the highest mark of a removal that is no longer kept.
  `CREATE TABLE recording_sync (id ${integerKey}, base ${integer} NOT NULL, forgotten ${integer} NOT NULL)`,
  "INSERT INTO recording_sync (id, base, forgotten) VALUES (1, 0, 0)",

  // Recordings that were deleted, or (`is_deleted` is 0) given to another owner.
  `CREATE TABLE recording_removals (
    sequence ${sequenceKey},
    account_id ${integer} NOT NULL,
    owner_id ${integer},
    uuid TEXT NOT NULL,
    changed ${integer} NOT NULL,
    is_deleted ${integer} NOT NULL,
    removed_at ${integer} NOT NULL
  )`,
  "CREATE INDEX recording_removals_account ON recording_removals (account_id, changed, sequence) WHERE is_deleted = 1",
  `CREATE INDEX recording_removals_owner ON recording_removals (account_id, owner_id, changed, sequence)
    WHERE owner_id IS NOT NULL`,
  "CREATE INDEX recording_removals_age ON recording_removals (removed_at)",

  // Starts of servers, at which a restored copy of the database leaves the history of the original.
  `CREATE TABLE recording_origins (starts_at ${integerKey}, token TEXT NOT NULL UNIQUE)${clustered}`
]

/**
 * Recordings without their large parts. Each list has an index with its conditions, then the order (R7), then the revision: an
 * index alone answers a page, and only recordings that are not cached are read from the table.
 */
const recordingTables = ({
  clustered,
  integer,
  integerKey,
  searchIndex,
  sequenceKey
}: Dialect): ReadonlyArray<string> => [
  // SQLite compares pairs of (created_at, id) within an index only if the id is no alias of the rowid, as INTEGER PRIMARY KEY
  // would make it: it would scan all recordings of the same millisecond.
  `CREATE TABLE recordings (
    id BIGINT NOT NULL PRIMARY KEY,
    uuid TEXT NOT NULL,
    account_id ${integer} NOT NULL,
    owner_id ${integer},
    folder_id TEXT,
    platform TEXT NOT NULL,
    ticket_id TEXT,
    active_ticket_id TEXT,
    created_at ${integer} NOT NULL,
    changed ${integer} NOT NULL DEFAULT 0,
    revision ${integer} NOT NULL,
    title_order TEXT NOT NULL,
    duration ${integer} NOT NULL,
    search TEXT NOT NULL,
    spoken_key TEXT NOT NULL,
    document TEXT NOT NULL,
    spoken TEXT NOT NULL DEFAULT ''${searchIndex.column}
  )`,
  // Of equal plans, PostgreSQL takes that of the latest index: a list has its own.
  "CREATE INDEX recordings_changed ON recordings (account_id, changed, id)",
  "CREATE INDEX recordings_owner_changed ON recordings (account_id, owner_id, changed, id) WHERE owner_id IS NOT NULL",
  ...searchIndex.statements,
  "CREATE INDEX recordings_title ON recordings (account_id, title_order, id)",
  "CREATE INDEX recordings_duration ON recordings (account_id, duration, id)",
  "CREATE UNIQUE INDEX recordings_uuid ON recordings (uuid)",
  "CREATE INDEX recordings_account ON recordings (account_id, created_at, id, revision)",
  `CREATE INDEX recordings_owner ON recordings (account_id, owner_id, created_at, id, revision)
    WHERE owner_id IS NOT NULL`,
  `CREATE INDEX recordings_folder ON recordings (folder_id, account_id, created_at, id, revision)
    WHERE folder_id IS NOT NULL`,
  `CREATE INDEX recordings_folder_owner ON recordings (folder_id, account_id, owner_id, created_at, id, revision)
    WHERE folder_id IS NOT NULL AND owner_id IS NOT NULL`,
  `CREATE INDEX recordings_ticket ON recordings
    (account_id, ticket_id, created_at, id, platform, owner_id, revision) WHERE ticket_id IS NOT NULL`,
  `CREATE INDEX recordings_active_ticket ON recordings
    (account_id, active_ticket_id, created_at, id, platform, owner_id, revision) WHERE active_ticket_id IS NOT NULL`,
  ...changeTables({ clustered, integer, integerKey, sequenceKey }),

  // One row: the highest revision of a removed recording. A new recording starts above it, as it may have the same id.
  `CREATE TABLE recording_revisions (id ${integerKey}, highest ${integer} NOT NULL)`,
  "INSERT INTO recording_revisions (id, highest) VALUES (1, 0)",

  // A part is one row; segments are rows of 100, the size of a page.
  `CREATE TABLE recording_parts (
    recording_id ${integer} NOT NULL,
    part TEXT NOT NULL,
    page ${integer} NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (recording_id, part, page)
  )`,

  // Users who have opened a recording that would be unseen until `expires_at`.
  `CREATE TABLE seen_recordings (
    recording_uuid TEXT NOT NULL,
    user_id ${integer} NOT NULL,
    expires_at ${integer} NOT NULL,
    PRIMARY KEY (recording_uuid, user_id)
  )${clustered}`,
  "CREATE INDEX seen_recordings_expiry ON seen_recordings (expires_at)",

  `CREATE TABLE share_links (
    id TEXT PRIMARY KEY,
    account_id ${integer} NOT NULL,
    recording_uuid TEXT NOT NULL,
    created_by ${integer} NOT NULL,
    hash TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    expires_at ${integer}
  )`,
  "CREATE UNIQUE INDEX share_links_hash ON share_links (hash)",
  "CREATE INDEX share_links_recording ON share_links (recording_uuid, created_at, id)",

  `CREATE TABLE recording_views (recording_id ${integerKey}, views ${integer} NOT NULL)`,
  // The last batch of views that each process wrote: it tells a read which of the process's own views its rows include.
  `CREATE TABLE view_batches (node TEXT PRIMARY KEY, batch ${integer} NOT NULL, at ${integer} NOT NULL)`
]

/** Lists of recordings and their counted blocks (docs/adr/0011-counted-blocks.md). */
const recordingListTables = ({ clustered, integer, sequenceKey }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE recording_lists (
    id ${sequenceKey},
    key TEXT NOT NULL,
    folder_id TEXT,
    count ${integer} NOT NULL
  )`,
  "CREATE UNIQUE INDEX recording_lists_key ON recording_lists (key)",
  "CREATE INDEX recording_lists_folder ON recording_lists (folder_id) WHERE folder_id IS NOT NULL",

  `CREATE TABLE recording_blocks (
    list_id ${integer} NOT NULL,
    from_at ${integer} NOT NULL,
    from_id ${integer} NOT NULL,
    count ${integer} NOT NULL,
    PRIMARY KEY (list_id, from_at, from_id)
  )${clustered}`
]

/** Files, and their contents, each stored once (`files/FileBytes.ts`). */
const fileTables = ({ integer }: Dialect): ReadonlyArray<string> => [
  // `key`: the name under which it is stored. `refs`: the number of files with this content.
  `CREATE TABLE file_contents (
    sha256 TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    size_bytes ${integer} NOT NULL,
    refs ${integer} NOT NULL
  )`,
  "CREATE INDEX file_contents_unused ON file_contents (sha256) WHERE refs = 0",

  // Content to remove: no file refers to it any more, or yet.
  `CREATE TABLE content_removals (
    key TEXT PRIMARY KEY,
    due_at ${integer} NOT NULL
  )`,
  "CREATE INDEX content_removals_due ON content_removals (due_at)",

  // `sha256` is null for generated content. `unattached_since`: no recording has it, yet or any more.
  `CREATE TABLE files (
    id TEXT PRIMARY KEY,
    sha256 TEXT REFERENCES file_contents (sha256),
    size_bytes ${integer} NOT NULL,
    recording_uuid TEXT,
    unattached_since ${integer}
  )`,
  "CREATE INDEX files_recording ON files (recording_uuid) WHERE recording_uuid IS NOT NULL",
  "CREATE INDEX files_unattached ON files (unattached_since) WHERE unattached_since IS NOT NULL"
]

/** Folders, and the receivers of deliveries: automations and destinations. */
const automationTables = ({ integer, sequenceKey }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE folders (sequence ${sequenceKey}, id TEXT NOT NULL UNIQUE, account_id ${integer} NOT NULL, document TEXT NOT NULL)`,
  "CREATE INDEX folders_account ON folders (account_id, sequence)",

  `CREATE TABLE automations (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    account_id ${integer} NOT NULL,
    folder_id TEXT NOT NULL,
    document TEXT NOT NULL,
    sealed TEXT NOT NULL
  )`,
  "CREATE INDEX automations_account ON automations (account_id, sequence)",
  "CREATE INDEX automations_folder ON automations (folder_id, sequence)",

  `CREATE TABLE destinations (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    account_id ${integer} NOT NULL,
    document TEXT NOT NULL,
    sealed TEXT NOT NULL
  )`,
  "CREATE INDEX destinations_account ON destinations (account_id, sequence)"
]

/** Sites, capture links, and captures with what has come of them. */
const captureTables = ({ integer, sequenceKey }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE sites (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    account_id ${integer} NOT NULL,
    site_key TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
  )`,
  "CREATE INDEX sites_account ON sites (account_id, sequence)",

  // Origins of enabled sites.
  `CREATE TABLE site_origins (
    origin TEXT NOT NULL,
    site_id TEXT NOT NULL,
    PRIMARY KEY (origin, site_id)
  )`,
  "CREATE INDEX site_origins_site ON site_origins (site_id)",

  `CREATE TABLE capture_links (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    account_id ${integer} NOT NULL,
    created_by ${integer} NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    sealed TEXT NOT NULL,
    document TEXT NOT NULL
  )`,
  "CREATE INDEX capture_links_account ON capture_links (account_id, sequence)",
  "CREATE INDEX capture_links_creator ON capture_links (account_id, created_by, sequence)",

  `CREATE TABLE captures (
    id TEXT PRIMARY KEY,
    recording_uuid TEXT NOT NULL,
    held_bytes ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
  "CREATE INDEX captures_held ON captures (recording_uuid, held_bytes) WHERE held_bytes > 0",
  "CREATE INDEX captures_recording ON captures (recording_uuid)",

  // Stretches of video, which are files, and of the log, which are in the row.
  `CREATE TABLE capture_pieces (
    capture_id TEXT NOT NULL,
    sequence ${integer} NOT NULL,
    kind TEXT NOT NULL,
    upload_id TEXT,
    document TEXT NOT NULL,
    PRIMARY KEY (capture_id, sequence)
  )`,

  `CREATE TABLE capture_tokens (
    hash TEXT PRIMARY KEY,
    capture_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    expires_at ${integer} NOT NULL
  )`,
  "CREATE INDEX capture_tokens_capture ON capture_tokens (capture_id, kind)",
  "CREATE INDEX capture_tokens_expiry ON capture_tokens (expires_at)",

  // Resumable uploads of members. `in_progress_of`: the user of an upload that is not complete.
  `CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    in_progress_of ${integer},
    expires_at ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
  "CREATE INDEX uploads_in_progress ON uploads (in_progress_of, expires_at) WHERE in_progress_of IS NOT NULL",
  "CREATE INDEX uploads_expiry ON uploads (expires_at)",

  `CREATE TABLE upload_pieces (
    upload_id TEXT NOT NULL,
    start ${integer} NOT NULL,
    file_id TEXT NOT NULL,
    size_bytes ${integer} NOT NULL,
    PRIMARY KEY (upload_id, start)
  )`
]

/** Deliveries and their queue (docs/adr/0021-the-delivery-queue.md). */
const deliveryTables = ({
  clustered,
  fillFactor,
  integer,
  integerKey,
  sequenceKey,
  shard
}: Dialect): ReadonlyArray<string> => [
  // A row is written once, and again if the delivery ends otherwise than by an attempt that delivered it.
  `CREATE TABLE deliveries (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    account_id ${integer} NOT NULL,
    automation_id TEXT,
    destination_id TEXT,
    recording_uuid TEXT,
    audit_entry_id ${integer},
    ended_as TEXT,
    ended_at ${integer}
  )`,
  "CREATE INDEX deliveries_account ON deliveries (account_id, sequence)",
  // Deliveries that an attempt delivered, which are almost all, have no entry in this index.
  "CREATE INDEX deliveries_ended ON deliveries (account_id, ended_as, sequence) WHERE ended_as IS NOT NULL",
  "CREATE INDEX deliveries_automation ON deliveries (automation_id, sequence) WHERE automation_id IS NOT NULL",
  "CREATE INDEX deliveries_destination ON deliveries (destination_id, sequence) WHERE destination_id IS NOT NULL",
  "CREATE INDEX deliveries_recording ON deliveries (recording_uuid, sequence) WHERE recording_uuid IS NOT NULL",
  `CREATE INDEX deliveries_audit_entry ON deliveries (audit_entry_id, destination_id, sequence)
    WHERE audit_entry_id IS NOT NULL`,
  `CREATE TABLE delivery_documents (sequence ${integerKey}, document TEXT NOT NULL, body TEXT NOT NULL)`,
  `CREATE TABLE delivery_attempts (
    sequence ${integer} NOT NULL,
    place ${integer} NOT NULL,
    document TEXT NOT NULL,
    delivered_at ${integer},
    PRIMARY KEY (sequence, place)
  )`,

  // Deliveries that have not ended: small rows in few indexes, which claims and outcomes rewrite. A claimed delivery keeps its
  // place, and claims skip it until `leased_until`, which is 0 while no worker has it: a claim changes no indexed column.
  `CREATE TABLE delivery_queue (
    sequence ${integerKey},
    account_id ${integer} NOT NULL,
    receiver TEXT NOT NULL,
    retry ${integer} NOT NULL,
    state TEXT NOT NULL,
    claimed_at ${integer},
    attempts ${integer} NOT NULL,
    fence ${integer} NOT NULL,
    held TEXT,
    due_kind TEXT NOT NULL,
    due_at ${integer} NOT NULL,
    due_order ${integer} NOT NULL,
    leased_until ${integer} NOT NULL DEFAULT 0
  )`,
  // The index is in due order. No claim reads a row that is due later.
  "CREATE INDEX delivery_queue_due ON delivery_queue (due_at, due_order)",
  // The index has the queues (core, `QueueKey`): a claim steps from queue to queue, however many deliveries each has. A receiver belongs
  // to one account, so its queued deliveries are found here too.
  "CREATE INDEX delivery_queue_receiver ON delivery_queue (receiver, retry, due_at, due_order)",
  // All rows of a page may be claimed at once, and a claimed row is longer by its instant.
  ...fillFactor("delivery_queue", 45),

  // Attempts by account, hour, receiver and measure (domain, `AttemptTally`), and how each receiver's latest ones ended. In
  // several rows, a receiver's failures are their sum, and its last success the latest.
  `CREATE TABLE attempt_counts (
    account_id ${integer} NOT NULL,
    hour ${integer} NOT NULL,
    receiver TEXT NOT NULL,
    measure ${integer} NOT NULL,
    attempts ${integer} NOT NULL${shard.column},
    PRIMARY KEY (account_id, hour, receiver, measure${shard.key})
  )${clustered}`,
  `CREATE TABLE receiver_health (
    account_id ${integer} NOT NULL,
    receiver TEXT NOT NULL,
    last_success_at ${integer},
    failing_since ${integer},
    failures ${integer} NOT NULL,
    last_at ${integer} NOT NULL${shard.column},
    PRIMARY KEY (account_id, receiver${shard.key})
  )${clustered}`,
  ...fillFactor("attempt_counts", 70),
  ...fillFactor("receiver_health", 70),

  // Jobs that deliver again by a filter; `next_at` is null in one that has ended.
  `CREATE TABLE redeliveries (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    account_id ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
  "CREATE INDEX redeliveries_account ON redeliveries (account_id, sequence)"
]

/** Audit entries, and the chain of seals that shows whether one was changed. */
const auditTables = ({ clustered, integer, integerKey, shard }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE audit_entries (
    id ${integerKey},
    account_id ${integer} NOT NULL,
    user_id ${integer},
    event_type TEXT NOT NULL,
    target_id TEXT NOT NULL,
    at ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
  // Covers every filter: the table is read only for entries that pass.
  "CREATE INDEX audit_entries_account ON audit_entries (account_id, id, event_type, user_id, at)",
  "CREATE INDEX audit_entries_target ON audit_entries (account_id, target_id, id, event_type, at)",
  "CREATE INDEX audit_entries_user ON audit_entries (account_id, user_id, id) WHERE user_id IS NOT NULL",

  // Counted as entries are written: counting the entries of a year takes longer than reading a page of them.
  `CREATE TABLE audit_entry_counts (
    account_id ${integer} NOT NULL,
    event_type TEXT NOT NULL,
    entries ${integer} NOT NULL${shard.column},
    PRIMARY KEY (account_id, event_type${shard.key})
  )`,

  `CREATE TABLE audit_seals (
    account_id ${integer} NOT NULL,
    seq ${integer} NOT NULL,
    entry_id ${integer} NOT NULL,
    sealed_at ${integer} NOT NULL,
    link TEXT NOT NULL,
    PRIMARY KEY (account_id, seq)
  )${clustered}`,
  "CREATE UNIQUE INDEX audit_seals_entry ON audit_seals (entry_id)",

  // The last link of each account's pruned entries.
  `CREATE TABLE audit_checkpoints (
    account_id ${integerKey},
    seq ${integer} NOT NULL,
    entry_id ${integer} NOT NULL,
    last_at ${integer} NOT NULL,
    link TEXT NOT NULL,
    pruned_at ${integer} NOT NULL,
    signature TEXT NOT NULL
  )`,
  "CREATE INDEX audit_checkpoints_entry ON audit_checkpoints (entry_id)"
]

/** Jobs, and the order in which their queues were claimed. */
const jobTables = ({ integer }: Dialect): ReadonlyArray<string> => [
  // `available_at`: when the job is due, or when the lease of the worker that has claimed it ends. It is claimed if that is later.
  `CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    pool TEXT NOT NULL,
    queue_key TEXT NOT NULL,
    due_at ${integer} NOT NULL,
    available_at ${integer} NOT NULL,
    due_order ${integer} NOT NULL,
    fence ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
  "CREATE INDEX jobs_pool ON jobs (pool, available_at, due_order)",
  "CREATE INDEX jobs_queue ON jobs (queue_key, available_at, due_order)",
  "CREATE INDEX jobs_claimed ON jobs (queue_key) WHERE available_at > due_at",

  // The last claim of each account and of each queue.
  `CREATE TABLE job_claims (
    claim_key TEXT PRIMARY KEY,
    fence ${integer} NOT NULL
  )`,
  "CREATE INDEX job_claims_fence ON job_claims (fence)"
]
