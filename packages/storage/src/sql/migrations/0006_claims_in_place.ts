import type { Migration } from "../migrate.ts"

/**
 * A claim writes what no index holds: PostgreSQL has the row's new version beside the old one then, and no index of it changes
 * (docs/adr/0021-the-delivery-queue.md). So what is in hand keeps its place in the queue, and `leased_until` has it stepped over.
 */
export const claimsInPlace: Migration = {
  version: 6,
  name: "claims_in_place",
  statements: ({ integer, roomToUpdate }) => [
    // 0: it is in nobody's hands. Nothing is claimed at any other time than when it is due.
    `ALTER TABLE delivery_queue ADD COLUMN leased_until ${integer} NOT NULL DEFAULT 0`,
    // What its place was is not known any more: it was due when its attempt began.
    `UPDATE delivery_queue SET leased_until = due_at, due_at = coalesce(claimed_at, due_at),
      due_kind = CASE WHEN held IS NULL THEN 'attempt' ELSE 'attempt_end' END
      WHERE due_kind = 'lease'`,
    "DROP INDEX delivery_queue_leases",
    // All rows of a page may be claimed at once, and a claimed one is longer by its instant.
    ...roomToUpdate("delivery_queue", 45)
  ]
}
