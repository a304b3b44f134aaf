import type { Agenda, Due } from "@tapedeck/core"
import type { DeliveryId, Instant } from "@tapedeck/domain"
import { JobPool } from "@tapedeck/domain/internal/jobs"
import { Effect, type Latch } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Counters, Database } from "../database/Database.ts"

type PlacedRow = readonly [
  at: Instant,
  order: number,
  ...(
    | readonly [kind: "attempt" | "attempt_end" | "lease", deliveryId: DeliveryId]
    | readonly [kind: "job", jobId: string]
  )
]

const dueOf = ([at, , kind, id]: PlacedRow): Due =>
  kind === "job" ? { kind, at, jobId: id } : { kind, at, deliveryId: id }

/** Selects the jobs of each pool by itself, so that a pool without a free slot and with many due jobs is not searched. */
const jobsOf = (pools: ReadonlyArray<JobPool>) =>
  pools.map(
    (pool) => `UNION ALL SELECT * FROM (
      SELECT available_at, due_order, 'job', id FROM jobs WHERE pool = '${pool}' ORDER BY available_at, due_order LIMIT ?) ${pool}_jobs`
  )

/**
 * Up to `limit` of each kind. A delivery in flight is due when its lease ends, for which there is no index. But it was due when
 * it was claimed, so those that come before the last free one are also before it in the queue.
 */
const selectOf = (pools: ReadonlyArray<JobPool>) => `
  WITH free AS (
    SELECT sequence, due_at AS at, due_order, due_kind AS kind FROM delivery_queue WHERE leased_until = 0
    ORDER BY due_at, due_order LIMIT ?
  ), leased AS (
    SELECT sequence, leased_until AS at, due_order, 'lease' AS kind FROM delivery_queue
    WHERE leased_until > 0 AND due_at <= coalesce((SELECT max(at) FROM free HAVING count(*) = ?), ${Number.MAX_SAFE_INTEGER})
  )
  SELECT * FROM (
    SELECT q.at, q.due_order, q.kind, d.id
    FROM (SELECT * FROM free UNION ALL SELECT * FROM leased ORDER BY at, due_order LIMIT ?) q
    JOIN deliveries d ON d.sequence = q.sequence
    ${jobsOf(pools).join(" ")}
  ) placed ORDER BY at, due_order LIMIT ?`

/** The statement of each set of pools. */
const statements = new Map<string, string>()

const statementOf = (pools: ReadonlyArray<JobPool>): string => {
  const key = pools.join(" ")
  const known = statements.get(key) ?? selectOf(pools)
  statements.set(key, known)
  return known
}

export const makeAgenda = ({ query, read }: Database, changed: Latch.Latch): Agenda => {
  const placed = (limit: number, pools: ReadonlyArray<JobPool>): Effect.Effect<ReadonlyArray<Due>, SqlError> => {
    const limits = Array.from({ length: pools.length + 4 }, () => limit)
    return Effect.map(query<PlacedRow>(statementOf(pools), ...limits), (rows) => rows.map(dueOf))
  }
  return {
    next: (pools) => read(Effect.map(placed(1, pools), ([first]) => first)),
    list: read(placed(Number.MAX_SAFE_INTEGER, JobPool.literals)),
    changed: changed.await
  }
}

/** Number of places that a process draws from the database at a time. */
const blockSize = 1_000

/**
 * Gives each place on the agenda a higher number than all before it: first in, first out among entries that fall due at the same
 * instant. Each process has its own blocks. The rest of a block, and what a failed transaction drew, is never given.
 */
export const makeAgendaOrder = (counters: Counters): Effect.Effect<number> => {
  let next = 0
  let end = 0
  const nextBlock = Effect.map(Effect.orDie(counters.next("agenda_block")), (block) => {
    // If two blocks are drawn concurrently, the lower one may arrive last: it is skipped.
    if (block * blockSize < next) return
    next = block * blockSize
    end = next + blockSize
  })
  const take: Effect.Effect<number> = Effect.suspend(() =>
    next < end ? Effect.succeed(next++) : Effect.andThen(nextBlock, take)
  )
  return take
}
