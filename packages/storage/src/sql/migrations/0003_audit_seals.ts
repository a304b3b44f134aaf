import type { Migration } from "../migrate.ts"

/** The audit log's chains, a link for each entry, and what is left of links whose entries were pruned. */
export const auditSeals: Migration = {
  version: 3,
  name: "audit_seals",
  statements: ({ clustered, integer, integerKey }) => [
    `CREATE TABLE audit_seals (
      account_id ${integer} NOT NULL,
      seq ${integer} NOT NULL,
      entry_id ${integer} NOT NULL,
      sealed_at ${integer} NOT NULL,
      link TEXT NOT NULL,
      PRIMARY KEY (account_id, seq)
    )${clustered}`,
    "CREATE UNIQUE INDEX audit_seals_entry ON audit_seals (entry_id)",
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
}
