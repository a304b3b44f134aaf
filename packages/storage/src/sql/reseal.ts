import type { Ids, Vault } from "@tapedeck/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { resealedAttempt } from "./attempts.ts"
import { chainKeyName } from "./auditChains.ts"
import type { Database } from "./Database.ts"
import { writeKeyFingerprint } from "./keyFingerprint.ts"

/** From the key that everything is sealed with to the one that it is to be sealed with. */
export interface KeyChange {
  readonly from: Vault["Service"]
  readonly to: Vault["Service"]
}

/** So many rows are in memory at a time. */
const ROWS = 200

/** Seals everything anew that is sealed, finds tokens by their new hashes, and notes the new key: all of it or nothing. */
export const reseal = (database: Database, { from, to }: KeyChange): Effect.Effect<void, never, Ids> => {
  const { query } = database
  const anew = (sealed: string) => Effect.flatMap(from.open(sealed), to.seal)

  /** Every row of a statement that begins behind the row before it, in the order of its first columns. */
  const each = <Row extends ReadonlyArray<string | number>, R>(
    select: string,
    begin: ReadonlyArray<string | number>,
    change: (row: Row) => Effect.Effect<unknown, SqlError, R>
  ) =>
    Effect.gen(function* () {
      for (let behind = begin; ; ) {
        const rows = yield* query<Row>(`${select} LIMIT ${ROWS}`, ...behind)
        for (const row of rows) yield* change(row)
        if (rows.length < ROWS) return
        behind = rows[rows.length - 1]!.slice(0, begin.length)
      }
    })

  const tokens = each<[string, string], Ids>(
    "SELECT id, sealed FROM tokens WHERE id > ? ORDER BY id",
    [""],
    Effect.fnUntraced(function* ([id, sealed]) {
      const text = yield* from.open(sealed)
      yield* query("UPDATE tokens SET hash = ?, sealed = ? WHERE id = ?", to.hash(text), yield* to.seal(text), id)
    })
  )

  const column = (table: "automations" | "destinations") =>
    each<[number, string], Ids>(
      `SELECT sequence, sealed FROM ${table} WHERE sequence > ? ORDER BY sequence`,
      [0],
      ([sequence, sealed]) =>
        Effect.flatMap(anew(sealed), (text) =>
          query(`UPDATE ${table} SET sealed = ? WHERE sequence = ?`, text, sequence)
        )
    )

  const attempts = each<[number, number, string], Ids>(
    `SELECT sequence, place, document FROM delivery_attempts WHERE (sequence, place) > (?, ?) ORDER BY sequence, place`,
    [0, -1],
    ([sequence, place, document]) =>
      Effect.flatMap(resealedAttempt(document, anew), (text) =>
        query("UPDATE delivery_attempts SET document = ? WHERE sequence = ? AND place = ?", text, sequence, place)
      )
  )

  const held = each<[number, string], Ids>(
    "SELECT sequence, held FROM delivery_queue WHERE held IS NOT NULL AND sequence > ? ORDER BY sequence",
    [0],
    ([sequence, result]) =>
      Effect.flatMap(resealedAttempt(result, anew), (text) =>
        query("UPDATE delivery_queue SET held = ? WHERE sequence = ?", text, sequence)
      )
  )

  const chainKey = Effect.gen(function* () {
    const [row] = yield* query<[string]>("SELECT value FROM meta WHERE name = ?", chainKeyName)
    if (row !== undefined) yield* query("UPDATE meta SET value = ? WHERE name = ?", yield* anew(row[0]), chainKeyName)
  })

  const passwords = each<[number, string], Ids>(
    "SELECT user_id, sealed FROM passwords WHERE user_id > ? ORDER BY user_id",
    [0],
    ([userId, sealed]) =>
      Effect.flatMap(anew(sealed), (text) => query("UPDATE passwords SET sealed = ? WHERE user_id = ?", text, userId))
  )

  const keptAnswers = each<[number, string], Ids>(
    "SELECT sequence, sealed FROM idempotency_keys WHERE sequence > ? ORDER BY sequence",
    [0],
    ([sequence, sealed]) =>
      Effect.flatMap(anew(sealed), (text) =>
        query("UPDATE idempotency_keys SET sealed = ? WHERE sequence = ?", text, sequence)
      )
  )

  // Of what a browser or a link holds only hashes are kept: nobody could find them by the new key.
  const forgotten = Effect.all(
    ["sessions", "sign_in_links", "try_windows"].map((table) => query(`DELETE FROM ${table}`)),
    { discard: true }
  )

  const all = Effect.all(
    [
      chainKey,
      passwords,
      keptAnswers,
      forgotten,
      tokens,
      column("automations"),
      column("destinations"),
      attempts,
      held
    ],
    {
      discard: true
    }
  )
  return database.transaction(Effect.andThen(all, writeKeyFingerprint(database, to)).pipe(Effect.orDie, Effect.asVoid))
}
