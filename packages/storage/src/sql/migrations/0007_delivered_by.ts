import type { Migration } from "../migrate.ts"

/**
 * That a delivery was delivered, and when, is said with the attempt that did it, which is written anyway: its row in `deliveries`
 * stays as it was made (docs/adr/0021-the-delivery-queue.md). What has ended before keeps its end there. A program of the
 * version before would find no end of the rest, so this does not say to work from there.
 */
export const deliveredBy: Migration = {
  version: 7,
  name: "delivered_by",
  statements: ({ integer, roomToUpdate }) => [
    `ALTER TABLE delivery_attempts ADD COLUMN delivered_at ${integer}`,
    ...roomToUpdate("deliveries", 100)
  ]
}
