import type { AuditChainReading, Vault } from "@tapedeck/core"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeAuditChains } from "../../sql/audit/chains.ts"
import { DatabaseRefused } from "../../sql/database/errors.ts"
import { keyFingerprint, refuseOtherKey } from "../../sql/database/key.ts"
import { migrations } from "../../sql/migrations/index.ts"
import { SqliteConnection } from "../client.ts"
import { defectOf } from "../errors.ts"
import { refusing, type StorageError } from "../open.ts"

/** A snapshot of the audit log's chains in a SQLite file, for as long as the scope lasts. A server may use the file meanwhile. */
export const openAuditChains = (
  file: string,
  vault: Vault["Service"]
): Effect.Effect<AuditChainReading, StorageError, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* open(file)
    const read = <A>(body: Effect.Effect<A, SqlError>) =>
      Effect.catch(body, (error) => Effect.die(defectOf(error, file)))
    const chains = makeAuditChains({ query: (text, ...parameters) => connection.values(text, parameters), read })
    yield* read(connection.executeRaw("BEGIN", []))
    const [row] = yield* read(connection.values<[number]>("SELECT max(version) FROM migrations", []))
    if (row?.[0] !== migrations.length) return yield* new DatabaseRefused({ file, why: otherVersion(Number(row?.[0])) })
    const [found] = yield* read(
      connection.values<[string]>("SELECT value FROM meta WHERE name = 'key_fingerprint'", [])
    )
    if (found !== undefined && found[0] !== keyFingerprint(vault)) return yield* refuseOtherKey(file, found[0], vault)
    return chains.reading
  }).pipe(refusing(file))

const otherVersion = (version: number) =>
  version > migrations.length
    ? `it is of version ${version}, which a newer Tapedeck made`
    : `it is of version ${version}: start this Tapedeck on it once, which brings it to ${migrations.length}`

const open = (file: string): Effect.Effect<SqliteConnection, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => new SqliteConnection(file, ["busy_timeout = 5000"], { readOnly: true }),
      catch: (error) => error as SqlError
    }).pipe(Effect.catch((error) => Effect.die(defectOf(error, file)))),
    (connection) => Effect.sync(() => connection.close())
  )
