import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Database } from "../Database.ts"

/** What tells this database from others, wherever it is restored to, and whatever becomes of its key. */
export const installationOf = ({ query, write }: Database): Effect.Effect<string> =>
  write(
    Effect.gen(function* () {
      yield* query(
        "INSERT INTO meta (name, value) VALUES ('installation', ?) ON CONFLICT (name) DO NOTHING",
        randomUUID()
      )
      const [row] = yield* query<readonly [string]>("SELECT value FROM meta WHERE name = 'installation'")
      return row?.[0] ?? ""
    })
  )
