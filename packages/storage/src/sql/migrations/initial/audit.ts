import type { Dialect } from "../../database/dialect.ts"

/** Audit entries, and the chain of seals that shows whether one was changed. */
export const auditTables = ({ clustered, integer, integerKey, shard }: Dialect): ReadonlyArray<string> => [
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
