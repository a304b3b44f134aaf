import type { JobClaim, JobRepository } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import {
  claimKeysOf,
  type FreeSlots,
  isSerialQueue,
  Job,
  type JobKind,
  type JobQueue,
  jobKinds,
  nextQueue,
  poolOfQueue
} from "@tapedeck/domain/internal/jobs"
import { Array as Arr, Clock, Effect } from "effect"
import type { Counters, Database } from "../database/Database.ts"
import { attemptRead, type DocumentRow, documentsIn } from "../database/documents.ts"
import { RowUnreadable } from "../database/errors.ts"

const readJob = documentsIn("jobs", Job)

interface QueueRow {
  readonly queue_key: string
  readonly available_at: number
  readonly claimed: number
}

interface ClaimRow {
  readonly claim_key: string
  readonly fence: number
}

interface CountRow {
  readonly kind: JobKind
  readonly waiting: number
  readonly claimed: number
  readonly available_at: Instant | null
}

/** The kind of a row's job, with which its id begins. */
const kindOfRow = `CASE ${Object.keys(jobKinds)
  .map((kind) => `WHEN id = '${kind}' OR id LIKE '${kind} %' THEN '${kind}'`)
  .join(" ")} END`

/**
 * Distance in numbers of claims up to which the last claim of an account or a queue is kept. An older claim counts as none, so that its
 * account or queue comes first as before.
 */
const rememberedFences = 10_000

/** Maximum number of keys in a statement. */
const maxKeys = 1_000

/** Poll interval of workers. */
const pollMs = 1_000

/** Maximum number of claims that are forgotten with one claim, which adds two at most. */
const maxForgotten = 100

export interface JobParts {
  readonly counters: Counters
  /** The next place on the agenda. Inside a transaction. */
  readonly agendaOrder: Effect.Effect<number>
  /** Wakes what waits for the agenda after the transaction's commit. */
  readonly agendaChanged: Effect.Effect<void>
}

export const makeJobs = (
  { dialect, now: storeNow, read, readCommitted, sql, write }: Database,
  { agendaChanged, agendaOrder, counters }: JobParts
): JobRepository => {
  /** Returns a fence that is never repeated, even for a job that is added again. */
  const newFence = counters.next("job_fence")

  const isHeld = ({ fence, job }: JobClaim) => sql`id = ${job.id} AND fence = ${fence}`

  const [forUpdate, skippingLocked] = [sql.literal(dialect.forUpdate), sql.literal(dialect.skippingLocked)]

  const isAny = (changed: ReadonlyArray<unknown>) => changed.length > 0

  /** A claimed job of the queue. */
  const inFlight = (queueKey: string, now: number) =>
    sql`SELECT 1 FROM jobs WHERE queue_key = ${queueKey} AND available_at > due_at AND available_at > ${now}`

  /** Each queue that has jobs, found by its key: as many steps as queues, however many jobs wait. */
  const queues = (now: number) =>
    Effect.map(
      sql<QueueRow>`
        WITH RECURSIVE queues (queue_key) AS (
          SELECT min(queue_key) FROM jobs
          UNION ALL
          SELECT (SELECT min(j.queue_key) FROM jobs j WHERE j.queue_key > queues.queue_key) FROM queues
          WHERE queue_key IS NOT NULL
        )
        SELECT queue_key,
          (SELECT min(available_at) FROM jobs j WHERE j.queue_key = queues.queue_key) AS available_at,
          (SELECT count(*) FROM jobs j
            WHERE j.queue_key = queues.queue_key AND available_at > due_at AND available_at > ${now}) AS claimed
        FROM queues WHERE queue_key IS NOT NULL`,
      (rows) =>
        rows.map(
          ({ available_at, claimed, queue_key }): JobQueue => ({
            key: queue_key,
            availableAt: available_at <= now ? available_at : null,
            claimed: Number(claimed)
          })
        )
    )

  /** The last claims of the queues that have an available job, and of their accounts. */
  const lastClaimsOf = Effect.fnUntraced(function* (found: ReadonlyArray<JobQueue>) {
    const keys = new Set(found.flatMap(({ availableAt, key }) => (availableAt === null ? [] : claimKeysOf(key))))
    const claims = new Map<string, number>()
    for (const some of Arr.chunksOf(keys, maxKeys)) {
      const rows = yield* sql<ClaimRow>`SELECT claim_key, fence FROM job_claims WHERE claim_key IN ${sql.in(some)}`
      for (const { claim_key, fence } of rows) claims.set(claim_key, fence)
    }
    return claims
  })

  /** Forgets a limited number of older claims. Rows that another process is changing stay. */
  const forgetClaimsBefore = Effect.fnUntraced(function* (fence: number) {
    const old = yield* sql<Pick<ClaimRow, "claim_key">>`
      SELECT claim_key FROM job_claims WHERE fence < ${fence} ORDER BY fence LIMIT ${maxForgotten}${skippingLocked}`
    if (old.length === 0) return
    yield* sql`DELETE FROM job_claims WHERE claim_key IN ${sql.in(old.map(({ claim_key }) => claim_key))}`
  })

  const leased = Effect.fnUntraced(function* ({ document, id }: DocumentRow, leaseEnd: number) {
    const fence = yield* newFence
    yield* sql`UPDATE jobs SET fence = ${fence}, available_at = ${leaseEnd} WHERE id = ${id}`
    return { job: attemptRead(() => readJob(id, document)), fence }
  })

  /** Claims the first job of a queue. Of a serial queue, while another process claims its first job, it claims none. */
  const takeFrom = Effect.fnUntraced(function* (queueKey: string, now: number, leaseMs: number) {
    const isSerial = isSerialQueue(queueKey)
    const isFree = isSerial ? sql` AND NOT EXISTS (${inFlight(queueKey, now)})` : sql.literal("")
    const [row] = yield* sql<DocumentRow>`
      SELECT id, document FROM jobs WHERE queue_key = ${queueKey} AND available_at <= ${now}${isFree}
      ORDER BY available_at, due_order LIMIT 1${isSerial ? forUpdate : skippingLocked}`
    return row === undefined ? undefined : yield* leased(row, now + leaseMs)
  })

  const take = Effect.fnUntraced(function* (now: number, slots: FreeSlots, leaseMs: number) {
    const free = { ...slots }
    const claims: Array<JobClaim> = []
    const own = new Map<string, number>()
    /** Queues whose due jobs another process is claiming. */
    const taken = new Set<string>()
    for (;;) {
      const found = (yield* queues(now)).filter(({ key }) => !taken.has(key))
      if (found.length === 0) break
      const known = yield* lastClaimsOf(found)
      const key = nextQueue(found, free, (key) => own.get(key) ?? known.get(key) ?? 0)?.key
      if (key === undefined) break
      const claim = yield* takeFrom(key, now, leaseMs)
      if (claim === undefined) {
        taken.add(key)
        continue
      }
      const { fence, job } = claim
      for (const claimed of claimKeysOf(key)) own.set(claimed, fence)
      // It is left to its lease's end: the others are run.
      if (job instanceof RowUnreadable) yield* Effect.logError("A job could not be claimed", job)
      else claims.push({ job, fence })
      const pool = poolOfQueue(key)
      free[pool] = free[pool]! - 1
    }
    // All processes write in the same order, so that none waits for another in a circle.
    for (const [key, fence] of [...own].sort(([a], [b]) => (a < b ? -1 : 1))) {
      yield* sql`
        INSERT INTO job_claims (claim_key, fence) VALUES (${key}, ${fence})
        ON CONFLICT (claim_key) DO UPDATE SET fence = excluded.fence`
    }
    if (claims.length > 0) yield* forgetClaimsBefore(claims.at(-1)!.fence - rememberedFences)
    return claims
  })

  const takeById = Effect.fnUntraced(function* (id: string, now: number, leaseMs: number) {
    const [row] = yield* sql<DocumentRow>`
      SELECT id, document FROM jobs WHERE id = ${id} AND (available_at <= ${now} OR available_at = due_at)${skippingLocked}`
    if (row === undefined) return undefined
    const { fence, job } = yield* leased(row, now + leaseMs)
    return job instanceof RowUnreadable ? yield* Effect.die(job) : { job, fence }
  })

  /** Wakes workers for a job that is due before they look again. A capture's job moves with each request. */
  const wakeFor = ({ dueAt }: Job) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => (dueAt <= now + pollMs ? agendaChanged : Effect.void))

  const insert = Effect.fnUntraced(function* (job: Job) {
    yield* wakeFor(job)
    const { pool } = jobKinds[job.kind]
    return sql`
      INSERT INTO jobs (id, pool, queue_key, due_at, available_at, due_order, fence, document)
      VALUES (${job.id}, ${pool}, ${job.queueKey}, ${job.dueAt}, ${job.dueAt}, ${yield* agendaOrder}, 0,
        ${JSON.stringify(job)}) ON CONFLICT (id)`
  })

  return {
    enqueue: (job) =>
      write(
        Effect.flatMap(
          insert(job),
          (inserted) => sql`${inserted} DO UPDATE SET pool = excluded.pool, queue_key = excluded.queue_key,
            due_at = excluded.due_at, available_at = excluded.available_at, due_order = excluded.due_order, fence = 0,
            document = excluded.document`
        )
      ).pipe(Effect.asVoid),
    enqueueOnce: (job) =>
      write(Effect.flatMap(insert(job), (inserted) => sql`${inserted} DO NOTHING`)).pipe(Effect.asVoid),
    byIds: (ids) =>
      read(
        Effect.map(sql<DocumentRow>`SELECT id, document FROM jobs WHERE id IN ${sql.in(ids)}`, (rows) =>
          ids.flatMap((id) => rows.filter((row) => row.id === id).map(({ document }) => readJob(id, document)))
        )
      ),
    claim: ({ leaseMs, slots }) =>
      Effect.gen(function* () {
        const now = yield* storeNow
        // Mostly nothing is due: then no transaction begins.
        const isDue = nextQueue(yield* read(queues(now)), slots, () => 0) !== undefined
        return isDue ? yield* readCommitted(take(now, slots, leaseMs)) : []
      }),
    claimById: (id, leaseMs) => readCommitted(Effect.flatMap(storeNow, (now) => takeById(id, now, leaseMs))),
    renew: (claim, leaseMs) =>
      write(
        Effect.gen(function* () {
          const now = yield* storeNow
          return isAny(yield* sql`UPDATE jobs SET available_at = ${now + leaseMs} WHERE ${isHeld(claim)} RETURNING id`)
        })
      ),
    counts: Effect.flatMap(storeNow, (now) =>
      read(
        Effect.map(
          sql<CountRow>`
            SELECT ${sql.literal(kindOfRow)} AS kind,
              sum(CASE WHEN available_at > due_at AND available_at > ${now} THEN 0 ELSE 1 END) AS waiting,
              sum(CASE WHEN available_at > due_at AND available_at > ${now} THEN 1 ELSE 0 END) AS claimed,
              min(CASE WHEN available_at <= ${now} THEN available_at END) AS available_at
            FROM jobs GROUP BY 1`,
          (rows) =>
            rows.map(({ available_at: availableAt, claimed, kind, waiting }) => ({
              kind,
              waiting: Number(waiting),
              claimed: Number(claimed),
              availableAt
            }))
        )
      )
    ),
    finish: (claim) => write(Effect.map(sql`DELETE FROM jobs WHERE ${isHeld(claim)} RETURNING id`, isAny)),
    postpone: (claim, job) =>
      write(
        Effect.gen(function* () {
          const postponed = yield* sql`
            UPDATE jobs SET due_at = ${job.dueAt}, available_at = ${job.dueAt}, due_order = ${yield* agendaOrder}, fence = 0,
              document = ${JSON.stringify(job)}
            WHERE ${isHeld(claim)} RETURNING id`
          if (isAny(postponed)) yield* wakeFor(job)
          return isAny(postponed)
        })
      ),
    cancel: (ids) =>
      ids.length === 0 ? Effect.void : Effect.asVoid(write(sql`DELETE FROM jobs WHERE id IN ${sql.in(ids)}`))
  }
}
