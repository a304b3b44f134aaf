import * as NodeCrypto from "node:crypto"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"
import type { Dialect } from "./dialect.ts"

/** The way from one version of the database to the next; there is none back. */
export interface Migration {
  /** From 1, without gaps. */
  readonly version: number
  readonly name: string
  readonly statements: (dialect: Dialect) => ReadonlyArray<string>
}

/** A database that this program must not touch. */
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

const applied = (sql: SqlClient) => sql<Applied>`SELECT version, checksum FROM migrations ORDER BY version`

/**
 * Brings the database to the newest version, one transaction for each version that it lacks. Whoever calls it has the
 * database for itself.
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
    if (known === undefined) return yield* new MigrationRefused({ version, reason: "newer" })
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
      })
    )
  }
})
