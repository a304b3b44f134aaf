import type { Migration } from "../migrate.ts"

/**
 * What is still to come of a delivery moves into a table of its own, which claims and settlements rewrite: small rows in few
 * indexes, of which none is left of a delivery that has ended. `deliveries` is written twice in a delivery's life
 * (docs/adr/0021-the-delivery-queue.md).
 */
export const deliveryQueue: Migration = {
  version: 5,
  name: "delivery_queue",
  statements: ({ integer, integerKey, jsonText, roomToUpdate }) => [
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
      due_order ${integer} NOT NULL
    )`,
    `INSERT INTO delivery_queue
      (sequence, account_id, receiver, retry, state, attempts, fence, held, due_kind, due_at, due_order)
      SELECT sequence, account_id, receiver, retry, state_document, attempts, fence, held, due_kind, due_at, due_order
      FROM deliveries WHERE due_at IS NOT NULL`,
    // What waits, in the order in which it falls due. A row that waits for hours is not looked at by any claim.
    "CREATE INDEX delivery_queue_due ON delivery_queue (due_at, due_order)",
    // The same by queue (core, `QueueKey`), so that a claim steps from queue to queue over whatever waits in them. A
    // receiver is one account's: what is still to come for one is found here too.
    "CREATE INDEX delivery_queue_lanes ON delivery_queue (receiver, retry, due_at, due_order)",
    // What is in hand, little at any time: a start looks it up.
    "CREATE INDEX delivery_queue_leases ON delivery_queue (due_at) WHERE due_kind = 'lease'",
    "ALTER TABLE deliveries ADD COLUMN ended_as TEXT",
    `ALTER TABLE deliveries ADD COLUMN ended_at ${integer}`,
    `UPDATE deliveries SET ended_as = state, ended_at = CAST(${jsonText("state_document", "at")} AS ${integer})
      WHERE due_at IS NULL`,
    ...["due", "lanes", "leases", "open"].map((index) => `DROP INDEX deliveries_${index}`),
    ...[
      "receiver",
      "retry",
      "state",
      "state_document",
      "attempts",
      "fence",
      "held",
      "due_kind",
      "due_at",
      "due_order"
    ].map((column) => `ALTER TABLE deliveries DROP COLUMN ${column}`),
    // Of a batch that ends together, all rows of a page are written anew at once.
    ...roomToUpdate("deliveries", 50)
  ]
}
