import { type IdempotencyKeyRepository, maxPruned, type StoredResponse } from "@tapedeck/core"
import { Effect } from "effect"
import type { Database } from "./database/Database.ts"

const expired = `SELECT sequence FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ${maxPruned}`

const oldest = `
  SELECT sequence FROM idempotency_keys WHERE caller = ? ORDER BY sequence DESC LIMIT ${maxPruned} OFFSET ?`

type Row = readonly [id: string, caller: string, sealed: string, expiresAt: StoredResponse["expiresAt"]]

/** Stored responses to requests with an `Idempotency-Key`. */
export const makeIdempotencyKeys = ({
  lockKey,
  query,
  read,
  readCommitted,
  write
}: Database): IdempotencyKeyRepository => ({
  lock: (id) => read(lockKey(id)),
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
  // Rows are removed by primary key, one by one: concurrent inserts do not wait.
  prune: ({ caller, maxPerCaller, now }) =>
    readCommitted(
      Effect.gen(function* () {
        const rows = [
          ...(yield* query<readonly [number]>(expired, now)),
          ...(yield* query<readonly [number]>(oldest, caller, maxPerCaller))
        ]
        for (const [sequence] of rows) yield* query("DELETE FROM idempotency_keys WHERE sequence = ?", sequence)
      })
    )
})
