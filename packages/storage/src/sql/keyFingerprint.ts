import type { Vault } from "@tapedeck/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "./Database.ts"

/** Tells keys apart and says nothing about them. */
export const keyFingerprint = (vault: Vault["Service"]): string => vault.hash("tapedeck/key-fingerprint")

const name = "key_fingerprint"

/** Of the key that everything sealed in the database is sealed with; undefined while there is none. */
export const readKeyFingerprint = ({ sql }: Pick<Database, "sql">): Effect.Effect<string | undefined, SqlError> =>
  Effect.map(sql<{ readonly value: string }>`SELECT value FROM meta WHERE name = ${name}`, ([row]) => row?.value)

/** The database is from now on one of this key. */
export const writeKeyFingerprint = ({ sql }: Pick<Database, "sql">, vault: Vault["Service"]) => sql`
  INSERT INTO meta (name, value) VALUES (${name}, ${keyFingerprint(vault)})
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`
