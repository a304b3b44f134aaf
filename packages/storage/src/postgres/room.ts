import { Effect } from "effect"
import type { Database } from "../sql/Database.ts"

/**
 * Dies with `StorageFull` where PostgreSQL finds no space for a megabyte: for a table of this session alone, which is gone
 * with the transaction.
 */
export const checkRoom = ({ query, write }: Database): Effect.Effect<void> =>
  Effect.asVoid(
    write(
      query(
        "CREATE TEMPORARY TABLE tapedeck_room ON COMMIT DROP AS SELECT repeat('x', 1000) FROM generate_series(1, 1000)"
      )
    )
  )
