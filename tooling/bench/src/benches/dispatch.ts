import { inField } from "../dispatch/field.ts"
import { onPostgres } from "../dispatch/onPostgres.ts"
import { onSqlite } from "../dispatch/onSqlite.ts"
import type { Measurements } from "../report.ts"
import type { BenchOptions } from "../runner.ts"

/** `waiting`: how many deliveries wait hours away beside those that are made. */
export const options = { waiting: 1_000_000 } satisfies BenchOptions

/** Deliveries a second on SQLite and on PostgreSQL, in processes of their own, at one receiver on loopback. */
export const run = ({ waiting = options.waiting }: BenchOptions): Promise<Measurements> =>
  inField(async (field) => {
    const sqlite = await onSqlite(field)
    const postgres = await onPostgres(field, waiting)
    return {
      results: { ...sqlite.results, ...postgres.results },
      ratios: { ...sqlite.ratios, ...postgres.ratios },
      notes: [...(sqlite.notes ?? []), ...(postgres.notes ?? [])]
    }
  })
