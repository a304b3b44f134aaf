import * as NodeCrypto from "node:crypto"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"
import type { Dialect } from "./dialect.ts"
import { documentsIn } from "./documents.ts"

/** Changes a database from one version to the next. It cannot be reversed. */
export interface Migration {
  /** Versions start at 1, without gaps. */
  readonly version: number
  readonly name: string
  /**
   * The oldest version whose programs still work on the result, so that operators can upgrade one node after another
   * (docs/adr/0026-neighbouring-versions-on-one-database.md). Its statements may only add then. Default: its own version.
   */
  readonly worksFrom?: number
  readonly statements: (dialect: Dialect) => ReadonlyArray<string>
}

/** A database that this program must not use. */
export class MigrationRefused extends Schema.TaggedError<MigrationRefused>()("MigrationRefused", {
  version: Schema.Int,
  reason: Schema.Literals(["newer", "changed"])
}) {
  override get message(): string {
    return this.reason === "newer"
      ? `The database is of version ${this.version}, which a newer Tapedeck made: start that one, or restore a backup`
      : `The database's version ${this.version} was made by another build of Tapedeck than this: its tables may differ from what is expected here`
  }
}

interface Applied {
  readonly version: number
  readonly checksum: string
}

const checksumOf = (statements: ReadonlyArray<string>): string =>
  NodeCrypto.createHash("sha256").update(statements.join(";\n").replace(/\s+/g, " ")).digest("hex").slice(0, 16)

/** Statements that do not affect older programs, which name the columns that they read and write. */
const additions = [/^CREATE (UNLOGGED )?TABLE \w/i, /^CREATE INDEX \w/i]
const addedColumn = /^ALTER TABLE \w+ ADD COLUMN /i

/** Returns whether a statement removes nothing, and demands nothing of rows that an older program writes. */
export const onlyAdds = (statement: string): boolean => {
  const trimmed = statement.trim()
  return addedColumn.test(trimmed) ? isOptional(trimmed) : additions.some((form) => form.test(trimmed))
}

const isOptional = (column: string): boolean =>
  !/\b(UNIQUE|CHECK|REFERENCES)\b/i.test(column) && (!/\bNOT NULL\b/i.test(column) || /\bDEFAULT\b/i.test(column))

/** The oldest version whose programs work on the result of these migrations. */
const worksFromOf = (migrations: ReadonlyArray<Migration>): number =>
  Math.max(...migrations.map(({ version, worksFrom = version }) => worksFrom))

/** Returns whether programs of a database's version no longer work after these migrations. */
export const breaksPrograms = (version: number, migrations: ReadonlyArray<Migration>): boolean =>
  version > 0 && version < migrations.length && worksFromOf(migrations) > version

/** Stored for programs that do not know the database's version: whether they work on it. */
const WorksFrom = Schema.Struct({ version: Schema.Int, worksFrom: Schema.Int })
type WorksFrom = typeof WorksFrom.Type

const readWorksFrom = documentsIn("meta", WorksFrom)

/** Returns whether a newer database, with what its `meta` has as `works_from`, works with programs of a version. */
export const worksOn = (value: string | undefined, newest: number, program: number): boolean => {
  if (value === undefined) return false
  const stored = readWorksFrom("works_from", value)
  return stored.version === newest && stored.worksFrom <= program
}

const storedWorksFrom = (sql: SqlClient) =>
  Effect.map(sql<{ readonly value: string }>`SELECT value FROM meta WHERE name = 'works_from'`, ([row]) => row?.value)

const writeWorksFrom = (sql: SqlClient, value: WorksFrom) => sql`
  INSERT INTO meta (name, value) VALUES ('works_from', ${JSON.stringify(value)})
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

const applied = (sql: SqlClient) => sql<Applied>`SELECT version, checksum FROM migrations ORDER BY version`

/**
 * Applies the missing migrations, each in its own transaction. No other process may do so meanwhile. A newer database is not
 * changed, and is accepted if programs of this version work on it.
 */
export const migrate = Effect.fnUntraced(function* (
  { dialect, sql, transaction }: Pick<Database, "dialect" | "sql" | "transaction">,
  migrations: ReadonlyArray<Migration>
): Effect.fn.Return<void, SqlError | MigrationRefused> {
  yield* transaction(
    sql`CREATE TABLE IF NOT EXISTS migrations (version ${sql.literal(dialect.integerKey)}, name TEXT NOT NULL, checksum TEXT NOT NULL)`
  )
  const before = yield* applied(sql)
  for (const { checksum, version } of before) {
    const known = migrations[version - 1]
    if (known === undefined) {
      const newest = before.at(-1)!.version
      if (worksOn(yield* storedWorksFrom(sql), newest, migrations.length)) break
      return yield* new MigrationRefused({ version: newest, reason: "newer" })
    }
    if (checksumOf(known.statements(dialect)) !== checksum) {
      return yield* new MigrationRefused({ version, reason: "changed" })
    }
  }
  for (const { name, statements, version } of migrations.slice(before.length)) {
    const all = statements(dialect)
    yield* transaction(
      Effect.gen(function* () {
        for (const statement of all) yield* sql.unsafe(dialect.definition(statement))
        yield* sql`INSERT INTO migrations (version, name, checksum) VALUES (${version}, ${name}, ${checksumOf(all)})`
        yield* writeWorksFrom(sql, { version, worksFrom: worksFromOf(migrations.slice(0, version)) })
      })
    )
  }
})
