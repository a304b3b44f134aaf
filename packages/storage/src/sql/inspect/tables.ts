import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { JsonFunctions } from "../database/dialect.ts"
import type { Query } from "../database/statements.ts"

const actualLists = `
  SELECT 'account:' || account_id AS key, count(*) AS actual FROM recordings GROUP BY account_id
  UNION ALL SELECT 'owner:' || account_id || ':' || owner_id, count(*) FROM recordings
    WHERE owner_id IS NOT NULL GROUP BY account_id, owner_id
  UNION ALL SELECT 'folder:' || account_id || ':' || folder_id, count(*) FROM recordings
    WHERE folder_id IS NOT NULL GROUP BY account_id, folder_id
  UNION ALL SELECT 'folder_owner:' || account_id || ':' || owner_id || ':' || folder_id, count(*) FROM recordings
    WHERE folder_id IS NOT NULL AND owner_id IS NOT NULL GROUP BY account_id, owner_id, folder_id`

/** Reads each recording's document once; PostgreSQL would read it once for each file. */
const namedFiles = ({ elements, parse }: JsonFunctions) => {
  const files = ["'original'", "'processed'", "'edited'", "'thumbnail'", "'trim' -> 'whole' -> 'thumbnail'"].map(
    (which) => `SELECT uuid, video -> ${which} ->> 'fileId' AS file FROM videos`
  )
  const parts = `SELECT uuid, part.value ->> 'fileId' FROM videos, ${elements("video -> 'parts'")} part`
  const videos = `SELECT uuid, ${parse("document")} -> 'video' AS video FROM recordings`
  return `WITH videos AS MATERIALIZED (${videos}) ${[...files, parts].join(" UNION ALL ")}`
}

/** The stretches of captures that are not finished. */
const namedPieces = ({ parse }: JsonFunctions) =>
  `SELECT capture_id AS id, ${parse("document")} ->> 'fileId' AS file FROM capture_pieces WHERE kind = 'video'`

const namedPictures = ({ parse }: JsonFunctions) =>
  `SELECT id, ${parse("document")} -> 'picture' ->> 'fileId' AS file FROM users`

/** Statements that return a line for each violation between tables. */
const checksIn = (json: JsonFunctions): Readonly<Record<string, string>> => ({
  lists: `
    SELECT 'list ' || coalesce(l.key, r.key) || ': ' || coalesce(r.actual, 0) || ' recordings, its count is ' || coalesce(l.count, 0) AS text
    FROM (${actualLists}) r FULL JOIN recording_lists l ON l.key = r.key WHERE coalesce(l.count, 0) <> coalesce(r.actual, 0)
    UNION ALL
    SELECT 'list ' || key || ': its blocks have ' || coalesce(blocks, 0) || ' recordings, its count is ' || count
    FROM (SELECT key, count, (SELECT sum(count) FROM recording_blocks WHERE list_id = l.id) AS blocks FROM recording_lists l) counted
    WHERE coalesce(blocks, 0) <> count`,
  "audit entries": `
    SELECT 'account ' || coalesce(r.account_id, c.account_id) || ': ' || coalesce(r.actual, 0) || ' entries of ' ||
      coalesce(r.event_type, c.event_type) || ', the count is ' || coalesce(c.entries, 0) AS text
    FROM (SELECT account_id, event_type, count(*) AS actual FROM audit_entries GROUP BY account_id, event_type) r
    FULL JOIN (
      SELECT account_id, event_type, sum(entries) AS entries FROM audit_entry_counts GROUP BY account_id, event_type) c ON c.account_id = r.account_id AND c.event_type = r.event_type
    WHERE coalesce(r.actual, 0) <> coalesce(c.entries, 0)`,
  "file rows": `
    SELECT 'content ' || sha256 || ': ' || actual || ' files have it, the count is ' || refs AS text
    FROM (SELECT sha256, refs, (SELECT count(*) FROM files f WHERE f.sha256 = c.sha256) AS actual FROM file_contents c) referenced
    WHERE actual <> refs
    UNION ALL
    SELECT 'content ' || c.key || ': files have it, but it is to be removed'
    FROM file_contents c JOIN content_removals r ON r.key = c.key
    UNION ALL
    SELECT 'file ' || f.id || ': ' || f.size_bytes || ' bytes, its content has ' || c.size_bytes
    FROM files f JOIN file_contents c ON c.sha256 = f.sha256 WHERE f.size_bytes <> c.size_bytes
    UNION ALL
    SELECT 'recording ' || uuid || ': its file ' || file || ' does not exist' FROM (${namedFiles(json)}) named
    WHERE file IS NOT NULL AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = file)
    UNION ALL
    SELECT 'capture ' || id || ': its file ' || file || ' does not exist' FROM (${namedPieces(json)}) pieces
    WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.id = file)
    UNION ALL
    SELECT 'upload ' || upload_id || ': its file ' || file_id || ' does not exist' FROM upload_pieces
    WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.id = file_id)
    UNION ALL
    SELECT 'user ' || id || ': the picture ' || file || ' does not exist' FROM (${namedPictures(json)}) pictured
    WHERE file IS NOT NULL AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = file)`,
  accounts: `
    SELECT 'user ' || id || ': account ' || account_id || ' does not exist' AS text FROM users one
    WHERE NOT EXISTS (SELECT 1 FROM accounts o WHERE o.id = one.account_id)
    UNION ALL SELECT 'token ' || id || ': user ' || user_id || ' does not exist' FROM tokens one
    WHERE NOT EXISTS (SELECT 1 FROM users o WHERE o.id = one.user_id)
    UNION ALL SELECT 'recording ' || uuid || ': account ' || account_id || ' does not exist' FROM recordings one
    WHERE NOT EXISTS (SELECT 1 FROM accounts o WHERE o.id = one.account_id)`
})

/** The violations between tables, by check. */
export const inspectTables = Effect.fnUntraced(function* (
  query: Query,
  json: JsonFunctions
): Effect.fn.Return<Readonly<Record<string, ReadonlyArray<string>>>, SqlError> {
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const [name, sql] of Object.entries(checksIn(json))) {
    found[name] = (yield* query<[string]>(sql)).map(([text]) => text)
  }
  return found
})

/** The latest recorded instant; 0 in an empty database. */
export const latestInstant = (query: Query): Effect.Effect<number, SqlError> =>
  Effect.map(
    query<[number]>(
      `SELECT coalesce(max(at), 0) FROM (
        SELECT max(at) AS at FROM audit_entries UNION ALL SELECT max(created_at) FROM tokens) latest`
    ),
    ([row]) => Number(row![0])
  )
