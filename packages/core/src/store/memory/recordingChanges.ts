import type { Instant, Recording, RecordingId } from "@tapedeck/domain"
import { type ChangesRequest, type CommitPlace, comparePlacesOfCommits, maxForgotten, startOfMark } from "../Store.ts"
import type { Draft, RecordingMark, RecordingRemoval, WorldState } from "./WorldState.ts"

/** Name of the counter of marks: each write has its own. */
const counter = "recording_change"
/** Name of the counter whose value is the highest mark of a forgotten removal. */
const forgotten = "forgotten_removal"

const unmark = (draft: Draft, id: RecordingId) => {
  const before = draft.state.marksOfRecordings.get(id)
  if (before !== undefined) draft.edit("recordingChanges").delete(before)
}

/** Gives the recording the next mark. */
export const markRecording = (draft: Draft, recordingId: RecordingId) => {
  unmark(draft, recordingId)
  setMark(draft, { mark: draft.count(counter), recordingId })
}

export const setMark = (draft: Draft, change: RecordingMark | RecordingRemoval) => {
  draft.edit("recordingChanges").set(change.mark, change)
  if ("recordingId" in change) draft.edit("marksOfRecordings").set(change.recordingId, change.mark)
  else draft.edit("removals").set(change.mark, change)
}

/** The counters of a document, from which the draft continues, also if the document is of a version without marks. */
export const countersFrom = (counters: WorldState["counters"], { state }: Draft): WorldState["counters"] => {
  const marks = state.counters[counter] ?? 0
  return marks > (counters[counter] ?? 0) ? { ...counters, [counter]: marks } : counters
}

/** Lists a recording that is deleted, or that its owner no longer sees. */
export const markRemoval = (
  draft: Draft,
  { accountId, id, ownerId, uuid }: Recording,
  { at, isDeleted }: { readonly at: Instant; readonly isDeleted: boolean }
) => {
  if (isDeleted) {
    unmark(draft, id)
    draft.edit("marksOfRecordings").delete(id)
  }
  setMark(draft, { mark: draft.count(counter), uuid, accountId, ownerId, isDeleted, removedAt: at })
}

export const forgetRemovals = (draft: Draft, removedBefore: Instant): number => {
  const old = draft.state.removals
    .valuesArray()
    .filter(({ removedAt }) => removedAt < removedBefore)
    .slice(0, maxForgotten)
  for (const { mark } of old) {
    draft.edit("recordingChanges").delete(mark)
    draft.edit("removals").delete(mark)
    draft.countFrom(forgotten, mark)
  }
  return old.length
}

const placeOf = (change: RecordingMark | RecordingRemoval): CommitPlace =>
  "uuid" in change ? { mark: change.mark, rank: 0, id: 0 } : { mark: change.mark, rank: 1, id: change.recordingId }

/** Transactions run one after another: each place is final as soon as it can be read. */
export const changesSince = (state: WorldState, origin: string, request: ChangesRequest) => {
  const { accountId, after, limit, origin: asked, ownerId } = request
  const horizon = (state.counters[counter] ?? 0) + 1
  const removalsFrom = request.removalsFrom ?? horizon
  const isForgotten = after !== null && Math.max(after.mark, removalsFrom) <= (state.counters[forgotten] ?? 0)
  const isKnown = asked === undefined || (asked.name === origin && asked.seen <= horizon)
  if (isForgotten || !isKnown) {
    return { origin, horizon, isContinuous: false, changes: [], last: null, hasMore: false }
  }
  const isSeen = (one: Pick<Recording, "accountId" | "ownerId">) =>
    one.accountId === accountId && (ownerId === undefined || one.ownerId === ownerId)
  const changes = []
  let last: CommitPlace | null = null
  for (const change of state.recordingChanges.values(after?.mark)) {
    const place = placeOf(change)
    if (comparePlacesOfCommits(place, after ?? startOfMark(0)) <= 0) continue
    const found = changeOf(state, change, { isSeen, isAdmin: ownerId === undefined, removalsFrom })
    if (found === undefined) continue
    if (changes.length === limit) return { origin, horizon, isContinuous: true, changes, last, hasMore: true }
    changes.push(found)
    last = place
  }
  return { origin, horizon, isContinuous: true, changes, last, hasMore: false }
}

const changeOf = (
  state: WorldState,
  change: RecordingMark | RecordingRemoval,
  view: {
    readonly isSeen: (one: Pick<Recording, "accountId" | "ownerId">) => boolean
    readonly isAdmin: boolean
    readonly removalsFrom: number
  }
) => {
  if ("recordingId" in change) {
    const recording = state.recordings.get(change.recordingId)!
    return view.isSeen(recording) ? { uuid: recording.uuid, recording } : undefined
  }
  if (change.mark < view.removalsFrom || !view.isSeen(change) || (view.isAdmin && !change.isDeleted)) return undefined
  const id = state.recordingsByUuid.get(change.uuid)
  const present = id === undefined ? undefined : state.recordings.get(id)
  // It was given back to its owner, or created again: its own change is listed.
  return present !== undefined && view.isSeen(present) ? undefined : { uuid: change.uuid, recording: null }
}
