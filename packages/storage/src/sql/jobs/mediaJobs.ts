import type { MediaClaim, MediaJobRepository } from "@tapedeck/core"
import { type MediaJob, MediaJobKind } from "@tapedeck/domain/internal"
import { Effect } from "effect"
import type { Counters, Database } from "../database/Database.ts"

interface JobRow {
  readonly recording_uuid: string
  readonly kind: string
  readonly file_id: string
  readonly failed_tries: number
  readonly due_at: number
}

const jobOf = (row: JobRow): MediaJob =>
  ({
    recordingUuid: row.recording_uuid,
    kind: row.kind,
    fileId: row.file_id,
    failedTries: row.failed_tries,
    dueAt: row.due_at
  }) as MediaJob

export interface MediaJobParts {
  readonly counters: Counters
  /** Wakes what waits for the agenda after the transaction's commit. */
  readonly agendaChanged: Effect.Effect<void>
}

export const makeMediaJobs = (
  { dialect, now: storeNow, read, readCommitted, sql, write }: Database,
  { agendaChanged, counters }: MediaJobParts
): MediaJobRepository => {
  /** Never the same twice, even for a job that is added again. */
  const newFence = counters.next("media_fence")

  const isHeld = ({ fence, job }: MediaClaim) =>
    sql`recording_uuid = ${job.recordingUuid} AND kind = ${job.kind} AND fence = ${fence}`

  const skippingLocked = sql.literal(dialect.skippingLocked)

  const isAny = (changed: ReadonlyArray<unknown>) => changed.length > 0

  const take = Effect.fnUntraced(function* (now: number, limit: number, leaseMs: number) {
    const rows = yield* sql<JobRow>`
      SELECT recording_uuid, kind, file_id, failed_tries, due_at FROM media_jobs WHERE available_at <= ${now}
      ORDER BY available_at, fence LIMIT ${limit}${skippingLocked}`
    const claims: Array<MediaClaim> = []
    for (const row of rows) {
      const fence = yield* newFence
      yield* sql`
        UPDATE media_jobs SET fence = ${fence}, available_at = ${now + leaseMs}
        WHERE recording_uuid = ${row.recording_uuid} AND kind = ${row.kind}`
      claims.push({ job: jobOf(row), fence })
    }
    return claims
  })

  return {
    add: ({ dueAt, failedTries, fileId, kind, recordingUuid }) =>
      write(
        Effect.flatMap(
          Effect.andThen(agendaChanged, newFence),
          (fence) => sql`
            INSERT INTO media_jobs (recording_uuid, kind, file_id, failed_tries, due_at, available_at, fence)
            VALUES (${recordingUuid}, ${kind}, ${fileId}, ${failedTries}, ${dueAt}, ${dueAt}, ${fence})
            ON CONFLICT (recording_uuid, kind) DO UPDATE SET file_id = excluded.file_id,
              failed_tries = excluded.failed_tries, due_at = excluded.due_at, available_at = excluded.available_at,
              fence = excluded.fence`
        )
      ).pipe(Effect.asVoid),
    ofRecording: (uuid) =>
      read(
        Effect.map(
          sql<JobRow>`
            SELECT recording_uuid, kind, file_id, failed_tries, due_at FROM media_jobs WHERE recording_uuid = ${uuid}`,
          (rows) => MediaJobKind.literals.flatMap((kind) => rows.filter((row) => row.kind === kind).map(jobOf))
        )
      ),
    claim: ({ leaseMs, limit }) =>
      Effect.gen(function* () {
        const now = yield* storeNow
        // Mostly nothing is due: then no transaction begins.
        const due = yield* read(sql`SELECT 1 FROM media_jobs WHERE available_at <= ${now} LIMIT 1`)
        return isAny(due) ? yield* readCommitted(take(now, limit, leaseMs)) : []
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
