import type { MediaClaim, MediaJobRepository } from "@tapedeck/core"
import {
  MediaJob,
  MediaJobKind,
  type MediaQueue,
  mediaClaimKeys,
  nextMediaQueue
} from "@tapedeck/domain/internal/files"
import { Effect } from "effect"
import type { Counters, Database } from "../database/Database.ts"
import { attemptRead, columnsIn } from "../database/documents.ts"
import { RowUnreadable } from "../database/errors.ts"

interface JobRow {
  readonly recording_uuid: string
  readonly kind: string
  readonly file_id: string
  readonly queue_key: string
  readonly max_seconds: number | null
  readonly failed_tries: number
  readonly due_at: number
}

const jobColumns = "recording_uuid, kind, file_id, queue_key, max_seconds, failed_tries, due_at"

interface QueueRow {
  readonly queue_key: string
  readonly available_at: number
  readonly claimed: number
}

interface ClaimRow {
  readonly claim_key: string
  readonly fence: number
}

const readJob = columnsIn("media_jobs", MediaJob, "recordingUuid")

const jobOf = (row: JobRow): MediaJob =>
  readJob({
    recordingUuid: row.recording_uuid,
    kind: row.kind,
    fileId: row.file_id,
    queueKey: row.queue_key,
    maxSeconds: row.max_seconds,
    failedTries: row.failed_tries,
    dueAt: row.due_at
  })

/**
 * Distance in numbers of claims up to which the last claim of an account or a queue is kept. An older claim counts as none, so that its
 * account or queue comes first as before.
 */
const rememberedFences = 10_000

/** Maximum number of claims that are forgotten with one claim, which adds two at most. */
const maxForgotten = 100

export interface MediaJobParts {
  readonly counters: Counters
  /** Wakes what waits for the agenda after the transaction's commit. */
  readonly agendaChanged: Effect.Effect<void>
}

export const makeMediaJobs = (
  { dialect, now: storeNow, read, readCommitted, sql, write }: Database,
  { agendaChanged, counters }: MediaJobParts
): MediaJobRepository => {
  /** Returns a fence that is never repeated, even for a job that is added again. */
  const newFence = counters.next("media_fence")

  const isHeld = ({ fence, job }: MediaClaim) =>
    sql`recording_uuid = ${job.recordingUuid} AND kind = ${job.kind} AND fence = ${fence}`

  const columns = sql.literal(jobColumns)

  const skippingLocked = sql.literal(dialect.skippingLocked)

  const isAny = (changed: ReadonlyArray<unknown>) => changed.length > 0

  /** Each queue that has jobs, found by its key: as many steps as queues, however many jobs wait. */
  const queues = (now: number) =>
    Effect.map(
      sql<QueueRow>`
        WITH RECURSIVE queues (queue_key) AS (
          SELECT min(queue_key) FROM media_jobs
          UNION ALL
          SELECT (SELECT min(j.queue_key) FROM media_jobs j WHERE j.queue_key > queues.queue_key) FROM queues
          WHERE queue_key IS NOT NULL
        )
        SELECT queue_key,
          (SELECT min(available_at) FROM media_jobs j WHERE j.queue_key = queues.queue_key) AS available_at,
          (SELECT count(*) FROM media_jobs j
            WHERE j.queue_key = queues.queue_key AND available_at > due_at AND available_at > ${now}) AS claimed
        FROM queues WHERE queue_key IS NOT NULL`,
      (rows) =>
        rows.map(({ available_at, claimed, queue_key }) => ({
          key: queue_key,
          availableAt: available_at <= now ? available_at : null,
          claimed: Number(claimed)
        }))
    )

  const lastClaimsOf = (found: ReadonlyArray<MediaQueue>) =>
    Effect.map(
      sql<ClaimRow>`
        SELECT claim_key, fence FROM media_claims
        WHERE claim_key IN ${sql.in(found.flatMap(({ key }) => mediaClaimKeys(key)))}`,
      (rows) => new Map(rows.map(({ claim_key, fence }) => [claim_key, fence]))
    )

  /** Forgets a limited number of older claims. Rows that another process is changing stay. */
  const forgetClaimsBefore = Effect.fnUntraced(function* (fence: number) {
    const old = yield* sql<Pick<ClaimRow, "claim_key">>`
      SELECT claim_key FROM media_claims WHERE fence < ${fence} ORDER BY fence LIMIT ${maxForgotten}${skippingLocked}`
    if (old.length === 0) return
    yield* sql`DELETE FROM media_claims WHERE claim_key IN ${sql.in(old.map(({ claim_key }) => claim_key))}`
  })

  const takeFrom = Effect.fnUntraced(function* (queueKey: string, now: number, leaseMs: number) {
    const [row] = yield* sql<JobRow>`
      SELECT ${columns} FROM media_jobs WHERE queue_key = ${queueKey} AND available_at <= ${now}
      ORDER BY available_at, fence LIMIT 1${skippingLocked}`
    if (row === undefined) return undefined
    const fence = yield* newFence
    yield* sql`
      UPDATE media_jobs SET fence = ${fence}, available_at = ${now + leaseMs}
      WHERE recording_uuid = ${row.recording_uuid} AND kind = ${row.kind}`
    return { job: attemptRead(() => jobOf(row)), fence }
  })

  const take = Effect.fnUntraced(function* (now: number, limit: number, leaseMs: number) {
    const claims: Array<MediaClaim> = []
    const own = new Map<string, number>()
    /** Queues whose due jobs another process is claiming. */
    const taken = new Set<string>()
    while (claims.length < limit) {
      const found = (yield* queues(now)).filter(({ key }) => !taken.has(key))
      if (found.length === 0) break
      const known = yield* lastClaimsOf(found)
      const key = nextMediaQueue(found, (key) => own.get(key) ?? known.get(key) ?? 0)?.key
      if (key === undefined) break
      const claim = yield* takeFrom(key, now, leaseMs)
      if (claim === undefined) {
        taken.add(key)
        continue
      }
      const { fence, job } = claim
      for (const claimed of mediaClaimKeys(key)) own.set(claimed, fence)
      // It is left to its lease's end: the others are done.
      if (job instanceof RowUnreadable) yield* Effect.logError("A media job could not be claimed", job)
      else claims.push({ job, fence })
    }
    // All processes write in the same order, so that none waits for another in a circle.
    for (const [key, fence] of [...own].sort(([a], [b]) => (a < b ? -1 : 1))) {
      yield* sql`
        INSERT INTO media_claims (claim_key, fence) VALUES (${key}, ${fence})
        ON CONFLICT (claim_key) DO UPDATE SET fence = excluded.fence`
    }
    if (claims.length > 0) yield* forgetClaimsBefore(claims.at(-1)!.fence - rememberedFences)
    return claims
  })

  return {
    add: ({ dueAt, failedTries, fileId, kind, maxSeconds, queueKey, recordingUuid }) =>
      write(
        Effect.flatMap(
          Effect.andThen(agendaChanged, newFence),
          (fence) => sql`
            INSERT INTO media_jobs (${columns}, available_at, fence)
            VALUES (${recordingUuid}, ${kind}, ${fileId}, ${queueKey}, ${maxSeconds}, ${failedTries}, ${dueAt}, ${dueAt},
              ${fence})
            ON CONFLICT (recording_uuid, kind) DO UPDATE SET file_id = excluded.file_id,
              queue_key = excluded.queue_key, max_seconds = excluded.max_seconds, failed_tries = excluded.failed_tries, due_at = excluded.due_at, available_at = excluded.available_at,
              fence = excluded.fence`
        )
      ).pipe(Effect.asVoid),
    ofRecording: (uuid) =>
      read(
        Effect.map(
          sql<JobRow>`
            SELECT ${columns} FROM media_jobs WHERE recording_uuid = ${uuid}`,
          (rows) => MediaJobKind.literals.flatMap((kind) => rows.filter((row) => row.kind === kind).map(jobOf))
        )
      ),
    claim: ({ leaseMs, limit }) =>
      Effect.gen(function* () {
        const now = yield* storeNow
        // Mostly nothing is due: then no transaction begins.
        const isDue = (yield* read(queues(now))).some(({ availableAt }) => availableAt !== null)
        return isDue ? yield* readCommitted(take(now, limit, leaseMs)) : []
      }),
    extend: (claim, leaseMs) =>
      write(
        Effect.gen(function* () {
          const now = yield* storeNow
          const extended = yield* sql`
            UPDATE media_jobs SET available_at = ${now + leaseMs} WHERE ${isHeld(claim)} RETURNING kind`
          return isAny(extended)
        })
      ),
    finish: (claim) => write(Effect.map(sql`DELETE FROM media_jobs WHERE ${isHeld(claim)} RETURNING kind`, isAny)),
    postpone: (claim, { dueAt, failedTries, fileId }) =>
      write(
        Effect.gen(function* () {
          const postponed = yield* sql`
            UPDATE media_jobs SET file_id = ${fileId}, failed_tries = ${failedTries}, due_at = ${dueAt},
              available_at = ${dueAt}, fence = ${yield* newFence}
            WHERE ${isHeld(claim)} RETURNING kind`
          if (isAny(postponed)) yield* agendaChanged
          return isAny(postponed)
        })
      ),
    remove: (uuid, kind) =>
      write(
        kind === undefined
          ? sql`DELETE FROM media_jobs WHERE recording_uuid = ${uuid}`
          : sql`DELETE FROM media_jobs WHERE recording_uuid = ${uuid} AND kind = ${kind}`
      ).pipe(Effect.asVoid)
  }
}
