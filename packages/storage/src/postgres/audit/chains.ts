import type { AuditChainReading, Vault } from "@tapedeck/core"
import { Effect, Redacted, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeAuditChains } from "../../sql/audit/chains.ts"
import { DatabaseRefused } from "../../sql/database/errors.ts"
import { keyFingerprint, refuseOtherKey } from "../../sql/database/key.ts"
import type { Query } from "../../sql/database/statements.ts"
import { migrations } from "../../sql/migrations/index.ts"
import { makePostgresPool } from "../client.ts"
import { numbered, onWallClock, valuesOf } from "../connection.ts"
import { defectOf, nameOf } from "../errors.ts"
import { refusing, type StorageError } from "../open.ts"
import { commandName } from "../sessions.ts"

/** A snapshot of the audit log's chains in a PostgreSQL database, for as long as the scope lasts. Servers may use it meanwhile. */
export const openAuditChains = (
  url: Redacted.Redacted,
  vault: Vault["Service"]
): Effect.Effect<AuditChainReading, StorageError, Scope.Scope> => {
  const name = nameOf(Redacted.value(url))
  const read = <A, R>(body: Effect.Effect<A, SqlError, R>) =>
    Effect.catch(body, (error) => Effect.die(defectOf(error, name)))
  return Effect.gen(function* () {
    const opened = makePostgresPool({ url, application: commandName, connections: 1 })
    const connection = yield* read(onWallClock(Effect.flatMap(opened, (pool) => pool.reserve)))
    const query: Query = (text, ...parameters) => valuesOf(connection, numbered(text), parameters)
    yield* read(query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
    const [row] = yield* read(query<[number]>("SELECT max(version) FROM migrations"))
    if (row?.[0] !== migrations.length) {
      const why = `it is of version ${row?.[0]}, and this Tapedeck reads version ${migrations.length}`
      return yield* new DatabaseRefused({ file: name, why })
    }
    const [found] = yield* read(query<[string]>("SELECT value FROM meta WHERE name = 'key_fingerprint'"))
    if (found !== undefined && found[0] !== keyFingerprint(vault)) return yield* refuseOtherKey(name, found[0], vault)
    return makeAuditChains({ query, read }).reading
  }).pipe(refusing(name))
}
