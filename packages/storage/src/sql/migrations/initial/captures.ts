import type { Dialect } from "../../database/dialect.ts"

/** Sites, capture links, and captures with what has come of them. */
export const captureTables = ({ integer, sequenceKey }: Dialect): ReadonlyArray<string> => [
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
