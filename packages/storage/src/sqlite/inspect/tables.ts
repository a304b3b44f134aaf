import type { DatabaseSync } from "node:sqlite"

const realLists = `
  SELECT 'account:' || account_id AS key, count(*) AS real FROM recordings GROUP BY account_id
  UNION ALL SELECT 'owner:' || account_id || ':' || owner_id, count(*) FROM recordings
    WHERE owner_id IS NOT NULL GROUP BY account_id, owner_id
  UNION ALL SELECT 'folder:' || account_id || ':' || folder_id, count(*) FROM recordings
    WHERE folder_id IS NOT NULL GROUP BY account_id, folder_id
  UNION ALL SELECT 'folder_owner:' || account_id || ':' || owner_id || ':' || folder_id, count(*) FROM recordings
    WHERE folder_id IS NOT NULL AND owner_id IS NOT NULL GROUP BY account_id, owner_id, folder_id`

const namedFiles = ["original", "processed", "edited", "thumbnail"]
  .map((which) => `SELECT uuid, document ->> '$.video.${which}.fileId' AS file FROM recordings`)
  .join(" UNION ALL ")

/** Each finds what does not hold between tables, a line for each. */
const checks: Readonly<Record<string, string>> = {
  lists: `
    SELECT 'list ' || coalesce(l.key, r.key) || ': ' || coalesce(r.real, 0) || ' recordings, counted ' || coalesce(l.count, 0) AS text
    FROM (${realLists}) r FULL JOIN recording_lists l ON l.key = r.key WHERE coalesce(l.count, 0) <> coalesce(r.real, 0)
    UNION ALL
    SELECT 'list ' || key || ': its blocks have ' || coalesce(blocks, 0) || ', it has ' || count
    FROM (SELECT key, count, (SELECT sum(count) FROM recording_blocks WHERE list_id = l.id) AS blocks FROM recording_lists l)
    WHERE coalesce(blocks, 0) <> count`,
  "audit entries": `
    SELECT 'account ' || coalesce(r.account_id, c.account_id) || ': ' || coalesce(r.real, 0) || ' entries of ' ||
      coalesce(r.event_type, c.event_type) || ', counted ' || coalesce(c.entries, 0) AS text
    FROM (SELECT account_id, event_type, count(*) AS real FROM audit_entries GROUP BY account_id, event_type) r
    FULL JOIN audit_entry_counts c ON c.account_id = r.account_id AND c.event_type = r.event_type
    WHERE coalesce(r.real, 0) <> coalesce(c.entries, 0)`,
  "file rows": `
    SELECT 'content ' || sha256 || ': ' || real || ' files have it, counted ' || refs AS text
    FROM (SELECT sha256, refs, (SELECT count(*) FROM files f WHERE f.sha256 = c.sha256) AS real FROM file_contents c)
    WHERE real <> refs
    UNION ALL
    SELECT 'file ' || f.id || ': ' || f.size_bytes || ' bytes, its content has ' || c.size_bytes
    FROM files f JOIN file_contents c ON c.sha256 = f.sha256 WHERE f.size_bytes <> c.size_bytes
    UNION ALL
    SELECT 'recording ' || uuid || ': its file ' || file || ' is not known' FROM (${namedFiles})
    WHERE file IS NOT NULL AND file NOT IN (SELECT id FROM files)`,
  accounts: `
    SELECT 'user ' || id || ': account ' || account_id || ' is not there' AS text FROM users
    WHERE account_id NOT IN (SELECT id FROM accounts)
    UNION ALL SELECT 'token ' || id || ': user ' || user_id || ' is not there' FROM tokens
    WHERE user_id NOT IN (SELECT id FROM users)
    UNION ALL SELECT 'recording ' || uuid || ': account ' || account_id || ' is not there' FROM recordings
    WHERE account_id NOT IN (SELECT id FROM accounts)`
}

/** What does not hold, by what was looked at. */
export const inspectTables = (database: DatabaseSync): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    Object.entries(checks).map(([name, sql]) => [
      name,
      database
        .prepare(sql)
        .all()
        .map(({ text }) => String(text))
    ])
  )

/** What SQLite itself finds; `deep` compares indexes with their tables too. */
export const inspectPages = (database: DatabaseSync, deep: boolean): ReadonlyArray<string> => {
  const found = database
    .prepare(deep ? "PRAGMA integrity_check" : "PRAGMA quick_check")
    .all()
    .flatMap((row) => Object.values(row).map(String))
    .filter((text) => text !== "ok")
  const foreign = database
    .prepare("PRAGMA foreign_key_check")
    .all()
    .map(({ parent, rowid, table }) => `${table} ${rowid}: what it names in ${parent} is not there`)
  return [...found, ...foreign]
}

/** The latest instant that something was written down at; 0 in a database of nothing. */
export const latestInstant = (database: DatabaseSync): number =>
  Number(
    database
      .prepare(
        "SELECT coalesce(max(at), 0) AS at FROM (SELECT max(at) AS at FROM audit_entries UNION ALL SELECT max(created_at) FROM tokens)"
      )
      .get()?.at
  )
