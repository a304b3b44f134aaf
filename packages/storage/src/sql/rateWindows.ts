import type { RateWindow, RateWindowRepository } from "@tapedeck/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"

export const makeRateWindows = ({ read, sql, write }: Database): RateWindowRepository => ({
  byToken: (id) =>
    read(
      Effect.map(
        sql<RateWindow>`SELECT started_at AS "startedAt", requests FROM rate_windows WHERE token_id = ${id}`,
        ([row]) => row && { startedAt: row.startedAt, requests: row.requests }
      )
    ),
  save: (id, { requests, startedAt }) =>
    write(sql`
      INSERT INTO rate_windows (token_id, started_at, requests) VALUES (${id}, ${startedAt}, ${requests})
      ON CONFLICT (token_id) DO UPDATE SET started_at = excluded.started_at, requests = excluded.requests`).pipe(
      Effect.asVoid
    )
})
