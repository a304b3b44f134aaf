import { type IdempotencyKeyRepository, type KeptAnswer, prunedAtOnce } from "@tapedeck/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"

const expired = `SELECT sequence FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ${prunedAtOnce}`

const oldest = `
  SELECT sequence FROM idempotency_keys WHERE caller = ? ORDER BY sequence DESC LIMIT ${prunedAtOnce} OFFSET ?`

type Row = readonly [id: string, caller: string, sealed: string, expiresAt: KeptAnswer["expiresAt"]]

/** Kept answers to requests with an `Idempotency-Key`. */
export const makeIdempotencyKeys = ({ fenced, lockKey, query, read, write }: Database): IdempotencyKeyRepository => ({
  lock: (id) => (lockKey === undefined ? Effect.succeed(true) : read(lockKey(id))),
  byId: (id) =>
    read(
      Effect.map(
        query<Row>("SELECT id, caller, sealed, expires_at FROM idempotency_keys WHERE id = ?", id),
        ([row]) => row && { id: row[0], caller: row[1], sealed: row[2], expiresAt: row[3] }
      )
    ),
  save: ({ caller, expiresAt, id, sealed }) =>
    write(
      Effect.andThen(
        query("DELETE FROM idempotency_keys WHERE id = ?", id),
        query(
          "INSERT INTO idempotency_keys (id, caller, sealed, expires_at) VALUES (?, ?, ?, ?)",
          id,
          caller,
          sealed,
          expiresAt
        )
      )
    ).pipe(Effect.asVoid),
  // Answers are removed one by one by their keys: what others add meanwhile is in nobody's way.
  prune: ({ caller, maxPerCaller, now }) =>
    fenced(
      Effect.gen(function* () {
        const rows = [
          ...(yield* query<readonly [number]>(expired, now)),
          ...(yield* query<readonly [number]>(oldest, caller, maxPerCaller))
        ]
        for (const [sequence] of rows) yield* query("DELETE FROM idempotency_keys WHERE sequence = ?", sequence)
      })
    )
})
