import type { Vault } from "@tapedeck/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { keyFingerprint, readKeyFingerprint, writeKeyFingerprint } from "./keyFingerprint.ts"
import { OtherKey } from "./refusals.ts"

/** Refuses a key that opens nothing of what the database holds. A new database takes the first that comes. */
export const checkKey = Effect.fnUntraced(function* (database: Database, vault: Vault["Service"], file: string) {
  const own = keyFingerprint(vault)
  const found = yield* database.write(
    Effect.flatMap(readKeyFingerprint(database), (known) =>
      known === undefined ? Effect.as(writeKeyFingerprint(database, vault), own) : Effect.succeed(known)
    )
  )
  if (found !== own) return yield* refuseOtherKey(file, found, vault)
})

export const refuseOtherKey = (file: string, found: string, vault: Vault["Service"]) =>
  new OtherKey({ file, found: short(found), given: short(keyFingerprint(vault)) })

const short = (fingerprint: string) => fingerprint.slice(0, 8)
