import type { Dialect } from "../dialect.ts"

/**
 * The recordings, their lists and the lists' blocks. Each list has an index with exactly what it asks for, then the order
 * (R7), then the revision: a page is found by the index alone, and only what is not kept is read from the table.
 */
export const recordingTables = ({
  clustered,
  integer,
  sequenceKey
}: Pick<Dialect, "clustered" | "integer" | "sequenceKey">): ReadonlyArray<string> => [
  // SQLite compares pairs of (created_at, id) within an index only if the id is no alias of the rowid, as
  // INTEGER PRIMARY KEY would make it: it would pass over all that were made in the same millisecond.
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
    revision ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
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

  // Revisions of recordings that are gone: whoever comes under the id of one of them starts above.
  `CREATE TABLE recording_revisions (only ${integer} NOT NULL PRIMARY KEY, used ${integer} NOT NULL)`,
  "INSERT INTO recording_revisions (only, used) VALUES (1, 0)",

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
