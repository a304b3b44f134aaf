import type { Migration } from "../migrate.ts"

/** Who is signed in, what their passwords are checked against, one-time links, and what was tried how often. */
export const signIn: Migration = {
  version: 4,
  name: "sign_in",
  statements: ({ integer, integerKey }) => [
    // `hash`, here and below: a keyed hash of what a browser or a link holds, which itself is kept nowhere.
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
    // `user_id` is 0 where there is nobody yet.
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
}
