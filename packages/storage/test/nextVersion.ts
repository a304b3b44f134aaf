import { Effect, Redacted } from "effect"
import { openDatabase as openPostgres } from "../src/postgres/open.ts"
import type { Migration } from "../src/sql/database/migrate.ts"
import { migrations } from "../src/sql/migrations/index.ts"
import { openDatabase as openSqlite } from "../src/sqlite/open.ts"

const version = migrations.length + 1

/** The next version, as tests know it: one that only adds, so that programs of this version work beside it. */
export const addingVersion: Migration = {
  version,
  name: "next",
  worksFrom: version - 1,
  statements: ({ integer, integerKey }) => [
    `CREATE TABLE next (id ${integerKey})`,
    `ALTER TABLE recordings ADD COLUMN next ${integer} NOT NULL DEFAULT 0`,
    "ALTER TABLE deliveries ADD COLUMN next TEXT",
    "CREATE INDEX deliveries_next ON deliveries (next)"
  ]
}

/** A next version that programs of this version do not work with. */
export const removingVersion: Migration = {
  version,
  name: "next",
  statements: () => ["ALTER TABLE rate_windows DROP COLUMN requests"]
}

/** The migrations of the next version's program. */
export const migrationsWith = (next: Migration) => [...migrations, next]

/** Brings a database in a file to that version, as the next version's program does at its start. */
export const upgradeSqlite = (file: string, next: Migration) => Effect.scoped(openSqlite(file, migrationsWith(next)))

/** The same with a PostgreSQL database. */
export const upgradePostgres = (url: string, next: Migration) =>
  Effect.scoped(openPostgres({ url: Redacted.make(url) }, migrationsWith(next)))
