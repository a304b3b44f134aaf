import type { Dialect } from "../../database/dialect.ts"

/** Folders, and the receivers of deliveries: automations and destinations. */
export const automationTables = ({ integer, sequenceKey }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE folders (sequence ${sequenceKey}, id TEXT NOT NULL UNIQUE, account_id ${integer} NOT NULL, document TEXT NOT NULL)`,
  "CREATE INDEX folders_account ON folders (account_id, sequence)",

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
  "CREATE INDEX destinations_account ON destinations (account_id, sequence)"
]

/** Deliveries and their queue (docs/adr/0021-the-delivery-queue.md). */
export const deliveryTables = ({
  clustered,
  fillFactor,
  integer,
  integerKey,
  sequenceKey,
  shard
}: Dialect): ReadonlyArray<string> => [
  // A row is written once, and again if the delivery ends otherwise than by an attempt that delivered it.
  `CREATE TABLE deliveries (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    account_id ${integer} NOT NULL,
    automation_id TEXT,
    destination_id TEXT,
    recording_uuid TEXT,
    audit_entry_id ${integer},
    ended_as TEXT,
    ended_at ${integer}
  )`,
  "CREATE INDEX deliveries_account ON deliveries (account_id, sequence)",
  // Deliveries that an attempt delivered, which are almost all, have no entry in this index.
  "CREATE INDEX deliveries_ended ON deliveries (account_id, ended_as, sequence) WHERE ended_as IS NOT NULL",
  "CREATE INDEX deliveries_automation ON deliveries (automation_id, sequence) WHERE automation_id IS NOT NULL",
  "CREATE INDEX deliveries_destination ON deliveries (destination_id, sequence) WHERE destination_id IS NOT NULL",
  "CREATE INDEX deliveries_recording ON deliveries (recording_uuid, sequence) WHERE recording_uuid IS NOT NULL",
  `CREATE INDEX deliveries_audit_entry ON deliveries (audit_entry_id, destination_id, sequence)
    WHERE audit_entry_id IS NOT NULL`,
  `CREATE TABLE delivery_documents (sequence ${integerKey}, document TEXT NOT NULL, body TEXT NOT NULL)`,
  `CREATE TABLE delivery_attempts (
    sequence ${integer} NOT NULL,
    place ${integer} NOT NULL,
    document TEXT NOT NULL,
    delivered_at ${integer},
    PRIMARY KEY (sequence, place)
  )`,

  // Deliveries that have not ended: small rows in few indexes, which claims and outcomes rewrite. A claimed delivery keeps its
  // place, and claims skip it until `leased_until`, which is 0 while no worker has it: a claim changes no indexed column.
  `CREATE TABLE delivery_queue (
    sequence ${integerKey},
    account_id ${integer} NOT NULL,
    receiver TEXT NOT NULL,
    retry ${integer} NOT NULL,
    state TEXT NOT NULL,
    claimed_at ${integer},
    attempts ${integer} NOT NULL,
    fence ${integer} NOT NULL,
    held TEXT,
    due_kind TEXT NOT NULL,
    due_at ${integer} NOT NULL,
    due_order ${integer} NOT NULL,
    leased_until ${integer} NOT NULL DEFAULT 0
  )`,
  // The index is in due order. No claim reads a row that is due later.
  "CREATE INDEX delivery_queue_due ON delivery_queue (due_at, due_order)",
  // The index has the queues (core, `QueueKey`): a claim steps from queue to queue, however many deliveries each has. A receiver belongs
  // to one account, so its queued deliveries are found here too.
  "CREATE INDEX delivery_queue_receiver ON delivery_queue (receiver, retry, due_at, due_order)",
  // All rows of a page may be claimed at once, and a claimed row is longer by its instant.
  ...fillFactor("delivery_queue", 45),

  // Attempts by account, hour, receiver and measure (domain, `AttemptTally`), and how each receiver's latest ones ended. In
  // several rows, a receiver's failures are their sum, and its last success the latest.
  `CREATE TABLE attempt_counts (
    account_id ${integer} NOT NULL,
    hour ${integer} NOT NULL,
    receiver TEXT NOT NULL,
    measure ${integer} NOT NULL,
    attempts ${integer} NOT NULL${shard.column},
    PRIMARY KEY (account_id, hour, receiver, measure${shard.key})
  )${clustered}`,
  `CREATE TABLE receiver_health (
    account_id ${integer} NOT NULL,
    receiver TEXT NOT NULL,
    last_success_at ${integer},
    failing_since ${integer},
    failures ${integer} NOT NULL,
    last_at ${integer} NOT NULL${shard.column},
    PRIMARY KEY (account_id, receiver${shard.key})
  )${clustered}`,
  ...fillFactor("attempt_counts", 70),
  ...fillFactor("receiver_health", 70),

  // Jobs that deliver again by a filter; `next_at` is null in one that has ended.
  `CREATE TABLE redeliveries (
    sequence ${sequenceKey},
    id TEXT NOT NULL UNIQUE,
    account_id ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
  "CREATE INDEX redeliveries_account ON redeliveries (account_id, sequence)"
]

/** Jobs, and the order in which their queues were claimed. */
export const jobTables = ({ integer }: Dialect): ReadonlyArray<string> => [
  // `available_at`: when the job is due, or when the lease of the worker that has claimed it ends. It is claimed if that is later.
  `CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    pool TEXT NOT NULL,
    queue_key TEXT NOT NULL,
    due_at ${integer} NOT NULL,
    available_at ${integer} NOT NULL,
    due_order ${integer} NOT NULL,
    fence ${integer} NOT NULL,
    document TEXT NOT NULL
  )`,
  "CREATE INDEX jobs_pool ON jobs (pool, available_at, due_order)",
  "CREATE INDEX jobs_queue ON jobs (queue_key, available_at, due_order)",
  "CREATE INDEX jobs_claimed ON jobs (queue_key) WHERE available_at > due_at",

  // The last claim of each account and of each queue.
  `CREATE TABLE job_claims (
    claim_key TEXT PRIMARY KEY,
    fence ${integer} NOT NULL
  )`,
  "CREATE INDEX job_claims_fence ON job_claims (fence)"
]
