import { randomUUID } from "node:crypto"
import {
  type ChangedRecording,
  type ChangedRecordings,
  type ChangesRequest,
  type CommitPlace,
  comparePlacesOfCommits,
  maxForgotten,
  type RecordingRepository,
  startOfMark
} from "@tapedeck/core"
import type { Instant, Recording, RecordingId, RecordingUuid } from "@tapedeck/domain"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../database/Database.ts"
import type { Dialect } from "../database/dialect.ts"
import { inList, type Parameter, type Query } from "../database/statements.ts"

/** Changes of recordings in the order of commits (docs/adr/0051-changes-in-the-order-of-commits.md). */

/** Maximum number of origins that are kept: the list continues over as many starts of servers. */
const maxOrigins = 1_000

/** Makes the mark of the transaction. Call it before statements that write `commits.mark`. */
export const advanceMark = (query: Query, { commits }: Dialect): Effect.Effect<unknown, SqlError> =>
  commits.advance === null ? Effect.void : query(commits.advance)

interface Removed extends Pick<Recording, "accountId" | "ownerId" | "uuid"> {
  readonly isDeleted: boolean
}

/** Lists a recording that is deleted, or that its owner no longer sees, under the mark of the transaction. */
export const recordRemoval = Effect.fnUntraced(function* (
  query: Query,
  { commits }: Dialect,
  { accountId, isDeleted, ownerId, uuid }: Removed
) {
  yield* query(
    `INSERT INTO recording_removals (account_id, owner_id, uuid, changed, is_deleted, removed_at)
      VALUES (?, ?, ?, ${commits.mark}, ?, ?)`,
    ...[accountId, ownerId, uuid, isDeleted ? 1 : 0, yield* Clock.currentTimeMillis]
  )
})

/** The highest mark of the database. Each account has an index. */
const highestMark = `SELECT coalesce(max(mark), 0) FROM (
    SELECT (SELECT max(changed) FROM recordings WHERE account_id = accounts.id) AS mark FROM accounts
    UNION ALL SELECT (SELECT max(changed) FROM recording_removals WHERE account_id = accounts.id AND is_deleted = 1) FROM accounts
    UNION ALL SELECT max(starts_at) FROM recording_origins
  ) AS marks`

/**
 * Starts a new part of the history of commits. A database that is restored from a copy then differs from the original from here on. One
 * that came to a cluster with lower numbers of transactions continues above its highest mark, without earlier origins.
 */
export const beginOrigin = ({ dialect, query, write }: Database): Effect.Effect<void> =>
  write(
    Effect.gen(function* () {
      yield* advanceMark(query, dialect)
      const [row] = yield* query<[number, number]>(`SELECT ${dialect.commits.mark}, (${highestMark})`)
      const [mark, highest] = row!.map(Number) as [number, number]
      if (mark <= highest) {
        yield* query("UPDATE recording_sync SET base = base + ? WHERE id = 1", highest + 1 - mark)
        yield* query("DELETE FROM recording_origins")
      }
      yield* query(`INSERT INTO recording_origins (token, starts_at) VALUES (?, ${dialect.commits.mark})`, randomUUID())
      yield* query(
        `DELETE FROM recording_origins WHERE starts_at <= (
          SELECT starts_at FROM recording_origins ORDER BY starts_at DESC LIMIT 1 OFFSET ${maxOrigins})`
      )
    })
  )

/** A row of the list, before its recording is read. */
interface Listed {
  readonly place: CommitPlace
  readonly uuid: RecordingUuid | null
  /** True for a removal of a recording that the caller sees now. */
  readonly isSeen: boolean
}

type ReadRecordings = (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Recording>, SqlError>

export const recordingChanges = (
  { dialect, query, read, readCommitted }: Database,
  recordingsOf: ReadRecordings
): Pick<RecordingRepository, "changesSince" | "forgetRemovals"> => {
  const { commits } = dialect

  /** The state of the history, in one snapshot. What the other statements read is as new, or newer. */
  const stateOf = Effect.fnUntraced(function* ({ origin }: ChangesRequest) {
    const token = origin?.name.split(" ")[0] ?? ""
    const [row] = yield* query<[number, string, string, number | string, number | null]>(
      `SELECT ${commits.horizon}, ${commits.identity},
        (SELECT token FROM recording_origins ORDER BY starts_at DESC LIMIT 1),
        (SELECT count(*) FROM recording_origins WHERE token = ?),
        (SELECT min(starts_at) FROM recording_origins
          WHERE starts_at > (SELECT starts_at FROM recording_origins WHERE token = ?))
        FROM recording_sync WHERE id = 1`,
      token,
      token
    )
    const [horizon, identity, newest, known, endsAt] = row!
    const isContinuous =
      origin === undefined ||
      (Number(known) > 0 &&
        origin.name === `${token} ${identity}` &&
        origin.seen <= (endsAt ?? Number.POSITIVE_INFINITY))
    return { origin: `${newest} ${identity}`, horizon, isContinuous }
  })

  /** False if removals after the mark were forgotten. Read it after the removals, because they may be forgotten at any time. */
  const isKept = (mark: number) =>
    Effect.map(query<[number]>("SELECT forgotten FROM recording_sync WHERE id = 1"), ([row]) => mark > row![0])

  const removalsAfter = (
    { accountId, limit, ownerId }: ChangesRequest,
    { id, mark, rank }: CommitPlace,
    removalsFrom: number
  ) => {
    const own = ownerId === undefined ? "is_deleted = 1" : "owner_id = ?"
    const owner: ReadonlyArray<Parameter> = ownerId === undefined ? [] : [ownerId]
    const last = rank > 0 ? Number.MAX_SAFE_INTEGER : id
    return Effect.map(
      query<[number, number, RecordingUuid, number | null, number | null]>(
        `SELECT changed, sequence, uuid, (SELECT account_id FROM recordings r WHERE r.uuid = removals.uuid),
            (SELECT owner_id FROM recordings r WHERE r.uuid = removals.uuid)
          FROM recording_removals removals
          WHERE account_id = ? AND ${own} AND changed >= ? AND (changed, sequence) > (?, ?)
          ORDER BY changed, sequence LIMIT ?`,
        ...[accountId, ...owner, removalsFrom, mark, last, limit + 1]
      ),
      (rows) =>
        rows.map(
          ([mark, id, uuid, presentAccount, presentOwner]): Listed => ({
            place: { mark, rank: 0, id },
            uuid,
            // It was given back to its owner, or created again: its own change is listed.
            isSeen: presentAccount === accountId && (ownerId === undefined || presentOwner === ownerId)
          })
        )
    )
  }

  const recordingsAfter = ({ accountId, limit, ownerId }: ChangesRequest, { id, mark, rank }: CommitPlace) => {
    const own = ownerId === undefined ? "" : " AND owner_id = ?"
    return Effect.map(
      query<[number, number]>(
        `SELECT changed, id FROM recordings WHERE account_id = ?${own} AND (changed, id) > (?, ?)
          ORDER BY changed, id LIMIT ?`,
        ...[accountId, ...(ownerId === undefined ? [] : [ownerId]), mark, rank > 0 ? id : -1, limit + 1]
      ),
      (rows) => rows.map(([mark, id]): Listed => ({ place: { mark, rank: 1, id }, uuid: null, isSeen: false }))
    )
  }

  const changesOf = Effect.fnUntraced(function* (request: ChangesRequest, listed: ReadonlyArray<Listed>) {
    const { accountId, ownerId } = request
    const ids = listed.flatMap(({ place, uuid }) => (uuid === null ? [place.id] : []))
    const recordings = new Map<RecordingId, Recording>()
    for (const one of ids.length === 0 ? [] : yield* recordingsOf(ids)) recordings.set(one.id, one)
    return listed.flatMap(({ place, uuid }): ReadonlyArray<ChangedRecording> => {
      if (uuid !== null) return [{ uuid, recording: null }]
      const recording = recordings.get(place.id as RecordingId)
      // It was deleted or given to another user since the list was read: the next list says so.
      const isSeen = recording?.accountId === accountId && (ownerId === undefined || recording.ownerId === ownerId)
      return recording !== undefined && isSeen ? [{ uuid: recording.uuid, recording }] : []
    })
  })

  const changesSince = Effect.fnUntraced(function* (request: ChangesRequest) {
    const { after, limit } = request
    const state = yield* stateOf(request)
    const none: ChangedRecordings = { ...state, changes: [], last: null, hasMore: false }
    if (!state.isContinuous) return none
    const place = after ?? startOfMark(-1)
    const removalsFrom = request.removalsFrom ?? state.horizon
    const removals = after === null ? [] : yield* removalsAfter(request, place, removalsFrom)
    if (after !== null && !(yield* isKept(Math.max(after.mark, removalsFrom)))) return { ...none, isContinuous: false }
    const listed = [...removals, ...(yield* recordingsAfter(request, place))].toSorted((a, b) =>
      comparePlacesOfCommits(a.place, b.place)
    )
    const part = listed.slice(0, limit)
    const changes = yield* changesOf(
      request,
      part.filter(({ isSeen }) => !isSeen)
    )
    return { ...state, changes, last: part.at(-1)?.place ?? null, hasMore: listed.length > limit }
  })

  const forgetRemovals = Effect.fnUntraced(function* (removedBefore: Instant) {
    const rows = yield* query<[number, number]>(
      `SELECT sequence, changed FROM recording_removals WHERE removed_at < ? ORDER BY removed_at LIMIT ${maxForgotten}`,
      removedBefore
    )
    if (rows.length === 0) return 0
    const highest = rows.reduce((highest, [, changed]) => Math.max(highest, changed), 0)
    const { marks, values } = inList(rows.map(([sequence]) => sequence))
    yield* query("UPDATE recording_sync SET forgotten = ? WHERE id = 1 AND forgotten < ?", highest, highest)
    yield* query(`DELETE FROM recording_removals WHERE sequence IN ${marks}`, ...values)
    return rows.length
  })

  return {
    changesSince: (request) => read(changesSince(request)),
    forgetRemovals: (removedBefore) => readCommitted(forgetRemovals(removedBefore))
  }
}
