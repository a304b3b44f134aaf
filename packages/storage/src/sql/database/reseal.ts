import { type Ids, sealedShareLink, shareLinkHash, type Vault } from "@tapedeck/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { chainKeyName } from "../audit/chains.ts"
import { resealedAttempt, resealedHeld } from "../deliveries/attempts.ts"
import type { Database } from "./Database.ts"
import { writeKeyFingerprint } from "./key.ts"

/** The current key and the new one. */
export interface KeyChange {
  readonly from: Vault["Service"]
  readonly to: Vault["Service"]
}

/** Maximum number of rows in memory. */
const batchSize = 200

/** Seals all secrets with another key, replaces the hashes of tokens, and stores the new fingerprint, in one transaction. */
export const reseal = (database: Database, { from, to }: KeyChange): Effect.Effect<void, never, Ids> => {
  const { query } = database
  const resealed = (sealed: string) => Effect.flatMap(from.open(sealed), to.seal)

  /** Runs `change` for every row of a statement that selects the rows after its parameters, in their order. */
  const each = <Row extends ReadonlyArray<string | number>, R>(
    select: string,
    begin: ReadonlyArray<string | number>,
    change: (row: Row) => Effect.Effect<unknown, SqlError, R>
  ) =>
    Effect.gen(function* () {
      for (let after = begin; ; ) {
        const rows = yield* query<Row>(`${select} LIMIT ${batchSize}`, ...after)
        for (const row of rows) yield* change(row)
        if (rows.length < batchSize) return
        after = rows[rows.length - 1]!.slice(0, begin.length)
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

  const shareLinks = each<[string, string], Ids>(
    "SELECT id, sealed FROM share_links WHERE id > ? ORDER BY id",
    [""],
    Effect.fnUntraced(function* ([id, sealed]) {
      const text = yield* from.open(sealed)
      const hash = shareLinkHash(to, sealedShareLink(text).token)
      yield* query("UPDATE share_links SET hash = ?, sealed = ? WHERE id = ?", hash, yield* to.seal(text), id)
    })
  )

  const captureLinks = each<[string, string], Ids>(
    "SELECT id, sealed FROM capture_links WHERE id > ? ORDER BY id",
    [""],
    Effect.fnUntraced(function* ([id, sealed]) {
      const text = yield* from.open(sealed)
      const values = [to.hash(text), yield* to.seal(text), id]
      yield* query("UPDATE capture_links SET token_hash = ?, sealed = ? WHERE id = ?", ...values)
    })
  )

  const column = (table: "automations" | "destinations") =>
    each<[number, string], Ids>(
      `SELECT sequence, sealed FROM ${table} WHERE sequence > ? ORDER BY sequence`,
      [0],
      ([sequence, sealed]) =>
        Effect.flatMap(resealed(sealed), (text) =>
          query(`UPDATE ${table} SET sealed = ? WHERE sequence = ?`, text, sequence)
        )
    )

  const attempts = each<[number, number, string], Ids>(
    `SELECT sequence, place, document FROM delivery_attempts WHERE (sequence, place) > (?, ?) ORDER BY sequence, place`,
    [0, -1],
    ([sequence, place, document]) =>
      Effect.flatMap(resealedAttempt(sequence, document, resealed), (text) =>
        query("UPDATE delivery_attempts SET document = ? WHERE sequence = ? AND place = ?", text, sequence, place)
      )
  )

  const held = each<[number, string], Ids>(
    "SELECT sequence, held FROM delivery_queue WHERE held IS NOT NULL AND sequence > ? ORDER BY sequence",
    [0],
    ([sequence, result]) =>
      Effect.flatMap(resealedHeld(sequence, result, resealed), (text) =>
        query("UPDATE delivery_queue SET held = ? WHERE sequence = ?", text, sequence)
      )
  )

  const chainKey = Effect.gen(function* () {
    const [row] = yield* query<[string]>("SELECT value FROM meta WHERE name = ?", chainKeyName)
    if (row !== undefined)
      yield* query("UPDATE meta SET value = ? WHERE name = ?", yield* resealed(row[0]), chainKeyName)
  })

  const passwords = each<[number, string], Ids>(
    "SELECT user_id, sealed FROM passwords WHERE user_id > ? ORDER BY user_id",
    [0],
    ([userId, sealed]) =>
      Effect.flatMap(resealed(sealed), (text) =>
        query("UPDATE passwords SET sealed = ? WHERE user_id = ?", text, userId)
      )
  )

  const storedResponses = each<[number, string], Ids>(
    "SELECT sequence, sealed FROM idempotency_keys WHERE sequence > ? ORDER BY sequence",
    [0],
    ([sequence, sealed]) =>
      Effect.flatMap(resealed(sealed), (text) =>
        query("UPDATE idempotency_keys SET sealed = ? WHERE sequence = ?", text, sequence)
      )
  )

  // The database has only hashes of these, which the new key does not produce.
  const removed = Effect.all(
    ["sessions", "sign_in_links", "try_windows", "capture_tokens"].map((table) => query(`DELETE FROM ${table}`)),
    { discard: true }
  )

  // Queued mails contain links that are removed here too.
  const linkMails = query("DELETE FROM jobs WHERE id LIKE 'mail link %'")

  const all = Effect.all(
    [
      chainKey,
      passwords,
      storedResponses,
      removed,
      linkMails,
      tokens,
      shareLinks,
      captureLinks,
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
