import type { Dialect } from "../../database/dialect.ts"

export const accountTables = ({ clustered, integer, integerKey }: Dialect): ReadonlyArray<string> => [
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
export const signInTables = ({ integer, integerKey }: Dialect): ReadonlyArray<string> => [
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
export const requestTables = ({ integer, sequenceKey, unlogged }: Dialect): ReadonlyArray<string> => [
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
