import { fileTables } from "../files/tables.ts"
import type { Migration } from "../migrate.ts"
import { recordingTables } from "../recordings/tables.ts"

/** All tables of the first release. What is a whole in the domain, and never searched, is one JSON text: `document`. */
export const first: Migration = {
  version: 1,
  name: "first",
  statements: ({ clustered, integer, integerKey, own, passing, sequenceKey, spread }) => [
    ...own,
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    `CREATE TABLE counters (kind TEXT PRIMARY KEY, value ${integer} NOT NULL)`,

    `CREATE TABLE accounts (id ${integerKey}, document TEXT NOT NULL)`,

    `CREATE TABLE users (
      id ${integerKey},
      account_id ${integer} NOT NULL,
      email_key TEXT NOT NULL,
      active_admin ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      document TEXT NOT NULL
    )`,
    "CREATE UNIQUE INDEX users_email ON users (email_key)",
    "CREATE INDEX users_page ON users (account_id, created_at, id)",
    "CREATE INDEX users_active_admins ON users (account_id) WHERE active_admin = 1",

    `CREATE TABLE tokens (
      id TEXT PRIMARY KEY,
      user_id ${integer} NOT NULL,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      hash TEXT NOT NULL,
      sealed TEXT NOT NULL,
      created_at ${integer} NOT NULL,
      revoked_at ${integer}
    )`,
    "CREATE UNIQUE INDEX tokens_hash ON tokens (hash)",
    "CREATE INDEX tokens_page ON tokens (user_id, created_at, id) WHERE kind = 'access' AND revoked_at IS NULL",

    ...recordingTables({ clustered, integer, sequenceKey }),

    `CREATE TABLE folders (sequence ${sequenceKey}, id TEXT NOT NULL UNIQUE, account_id ${integer} NOT NULL, document TEXT NOT NULL)`,
    "CREATE INDEX folders_account ON folders (account_id, sequence)",

    // `sealed`: the secrets and the custom headers' values, encrypted (S3).
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
    "CREATE INDEX destinations_account ON destinations (account_id, sequence)",

    `CREATE TABLE audit_entries (
      id ${integerKey},
      account_id ${integer} NOT NULL,
      user_id ${integer},
      event_type TEXT NOT NULL,
      at ${integer} NOT NULL,
      document TEXT NOT NULL
    )`,
    // Holds all that a filter asks for: an entry that does not pass costs no look into the table.
    "CREATE INDEX audit_entries_account ON audit_entries (account_id, id, event_type, user_id, at)",
    "CREATE INDEX audit_entries_user ON audit_entries (account_id, user_id, id) WHERE user_id IS NOT NULL",
    // Kept, since counting the entries of a year takes longer than reading a page of them.
    `CREATE TABLE audit_entry_counts (
      account_id ${integer} NOT NULL,
      event_type TEXT NOT NULL,
      entries ${integer} NOT NULL${spread.column},
      PRIMARY KEY (account_id, event_type${spread.key})
    )`,

    // Small rows, since claiming and settling rewrite them: what never changes is in `delivery_documents`.
    `CREATE TABLE deliveries (
      sequence ${sequenceKey},
      id TEXT NOT NULL UNIQUE,
      account_id ${integer} NOT NULL,
      automation_id TEXT,
      destination_id TEXT,
      recording_uuid TEXT,
      receiver TEXT NOT NULL,
      retry ${integer} NOT NULL,
      state TEXT NOT NULL,
      state_document TEXT NOT NULL,
      attempts ${integer} NOT NULL,
      fence ${integer} NOT NULL,
      held TEXT,
      due_kind TEXT,
      due_at ${integer},
      due_order ${integer}
    )`,
    // What waits, in the order in which it falls due. A row that waits for hours is not looked at by any claim.
    "CREATE INDEX deliveries_due ON deliveries (due_at, due_order) WHERE due_at IS NOT NULL",
    // The same by queue (core, `QueueKey`), so that a claim steps from queue to queue over whatever waits in them.
    `CREATE INDEX deliveries_lanes ON deliveries (account_id, receiver, retry, due_at, due_order)
      WHERE due_at IS NOT NULL`,
    // What is in hand, little at any time: a start looks it up.
    "CREATE INDEX deliveries_leases ON deliveries (due_at) WHERE due_kind = 'lease'",
    // What is still to come for a receiver: to be called off when it is turned off.
    "CREATE INDEX deliveries_open ON deliveries (receiver, sequence) WHERE due_at IS NOT NULL",
    "CREATE INDEX deliveries_automation ON deliveries (automation_id, sequence) WHERE automation_id IS NOT NULL",
    "CREATE INDEX deliveries_destination ON deliveries (destination_id, sequence) WHERE destination_id IS NOT NULL",
    "CREATE INDEX deliveries_recording ON deliveries (recording_uuid, sequence) WHERE recording_uuid IS NOT NULL",
    `CREATE TABLE delivery_documents (sequence ${integerKey}, document TEXT NOT NULL, body TEXT NOT NULL)`,
    `CREATE TABLE delivery_attempts (
      sequence ${integer} NOT NULL,
      place ${integer} NOT NULL,
      document TEXT NOT NULL,
      PRIMARY KEY (sequence, place)
    )`,

    `CREATE TABLE transcript_steps (
      due_order ${integerKey},
      at ${integer} NOT NULL,
      recording_uuid TEXT NOT NULL,
      status TEXT NOT NULL
    )`,
    "CREATE INDEX transcript_steps_at ON transcript_steps (at, due_order)",

    ...fileTables({ integer }),

    `CREATE ${passing}TABLE rate_windows (token_id TEXT PRIMARY KEY, started_at ${integer} NOT NULL, requests ${integer} NOT NULL)`
  ]
}
