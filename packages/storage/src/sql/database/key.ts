import type { Vault } from "@tapedeck/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"
import { OtherKey } from "./errors.ts"

/** Identifies a key without revealing anything about it. */
export const keyFingerprint = (vault: Vault["Service"]): string => vault.hash("tapedeck/key-fingerprint")

const name = "key_fingerprint"

/** The fingerprint of the key with which the database's secrets are sealed; undefined in a new database. */
export const readKeyFingerprint = ({ sql }: Pick<Database, "sql">): Effect.Effect<string | undefined, SqlError> =>
  Effect.map(sql<{ readonly value: string }>`SELECT value FROM meta WHERE name = ${name}`, ([row]) => row?.value)

export const writeKeyFingerprint = ({ sql }: Pick<Database, "sql">, vault: Vault["Service"]) => sql`
  INSERT INTO meta (name, value) VALUES (${name}, ${keyFingerprint(vault)})
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

/** Fails with `OtherKey` if the database's secrets are sealed with another key. A new database accepts any key. */
export const checkKey = Effect.fnUntraced(function* (database: Database, vault: Vault["Service"], file: string) {
  const own = keyFingerprint(vault)
  const found = yield* database.write(
    Effect.flatMap(readKeyFingerprint(database), (known) =>
      known === undefined ? Effect.as(writeKeyFingerprint(database, vault), own) : Effect.succeed(known)
    )
  )
  if (found !== own) return yield* refuseOtherKey(file, found, vault)
})

export const refuseOtherKey = (file: string, fingerprint: string, vault: Vault["Service"]) =>
  new OtherKey({ file, found: short(fingerprint), given: short(keyFingerprint(vault)) })

const short = (fingerprint: string) => fingerprint.slice(0, 8)
