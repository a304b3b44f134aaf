import type { Vault } from "@tapedeck/core"
import { Effect } from "effect"
import type { Database } from "../sql/Database.ts"
import { keyFingerprint, readKeyFingerprint, writeKeyFingerprint } from "../sql/keyFingerprint.ts"
import { DatabaseRefused } from "./trouble.ts"

/** Refuses a key that opens nothing of what the database holds. A new database takes the first that comes. */
export const checkKey = Effect.fnUntraced(function* (database: Database, vault: Vault["Service"], file: string) {
  const [found, given] = [yield* database.read(readKeyFingerprint(database)), keyFingerprint(vault)]
  if (found === undefined) return yield* database.write(Effect.asVoid(writeKeyFingerprint(database, given)))
  if (found === given) return
  return yield* new DatabaseRefused({
    file,
    why:
      `its secrets are sealed with another key (${short(found)}) than the given one (${short(given)}); ` +
      "give the key that it was last used with, or restore the database and its key from the same backup"
  })
})

const short = (fingerprint: string) => fingerprint.slice(0, 8)
