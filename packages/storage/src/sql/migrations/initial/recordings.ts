import type { Dialect } from "../../database/dialect.ts"

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
export const recordingTables = ({
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
export const recordingListTables = ({ clustered, integer, sequenceKey }: Dialect): ReadonlyArray<string> => [
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
export const fileTables = ({ integer }: Dialect): ReadonlyArray<string> => [
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
