import type { Migration } from "../migrate.ts"

/** Whether a user is active is in the row, so that v2's list leaves deactivated users out (R24). */
export const activeUsers: Migration = {
  version: 9,
  name: "active_users",
  statements: ({ integer }) => [
    `ALTER TABLE users ADD COLUMN active ${integer} NOT NULL DEFAULT 1`,
    // Quotes in a name are escaped, so nothing but the key itself reads like this.
    `UPDATE users SET active = 0 WHERE document LIKE '%"active":false%'`
  ]
}
