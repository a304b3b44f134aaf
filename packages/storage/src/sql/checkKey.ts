import type { Vault } from "@tapedeck/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { keyFingerprint, readKeyFingerprint, writeKeyFingerprint } from "./keyFingerprint.ts"
import { OtherKey } from "./refusals.ts"

/** Refuses a key that opens nothing of what the database holds. A new database takes the first that comes. */
export const checkKey = Effect.fnUntraced(function* (database: Database, vault: Vault["Service"], file: string) {
  const found = yield* database.read(readKeyFingerprint(database))
  if (found === undefined) return yield* database.write(Effect.asVoid(writeKeyFingerprint(database, vault)))
  if (found !== keyFingerprint(vault)) return yield* refuseOtherKey(file, found, vault)
})

export const refuseOtherKey = (file: string, found: string, vault: Vault["Service"]) =>
  new OtherKey({ file, found: short(found), given: short(keyFingerprint(vault)) })

const short = (fingerprint: string) => fingerprint.slice(0, 8)
