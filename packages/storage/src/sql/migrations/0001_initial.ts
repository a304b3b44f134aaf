import type { Migration } from "../database/migrate.ts"
import { auditTables } from "./initial/audit.ts"
import { captureTables } from "./initial/captures.ts"
import { automationTables, deliveryTables, jobTables } from "./initial/deliveries.ts"
import { accountTables, requestTables, signInTables } from "./initial/people.ts"
import { fileTables, recordingListTables, recordingTables } from "./initial/recordings.ts"

/**
 * All tables of the first release. A domain object that is always read whole, and never searched, is one JSON text: `document`.
 * Secrets are in `sealed`, encrypted (S3); `hash` is a keyed hash of a secret that is itself stored nowhere.
 */
export const initial: Migration = {
  version: 1,
  name: "initial",
  statements: (dialect) => [
    ...dialect.ownTables,
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    `CREATE TABLE counters (kind TEXT PRIMARY KEY, value ${dialect.integer} NOT NULL)`,
    ...accountTables(dialect),
    ...signInTables(dialect),
    ...requestTables(dialect),
    ...recordingTables(dialect),
    ...recordingListTables(dialect),
    ...fileTables(dialect),
    ...automationTables(dialect),
    ...captureTables(dialect),
    ...deliveryTables(dialect),
    ...auditTables(dialect),
    ...jobTables(dialect)
  ]
}
