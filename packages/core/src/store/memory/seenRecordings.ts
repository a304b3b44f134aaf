import type { Instant, RecordingUuid, UserId } from "@tapedeck/domain"
import { maxForgotten, type RecordingRepository, type SeenBy } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft, WorldState } from "./WorldState.ts"

const isSeenBy = (state: WorldState, uuid: RecordingUuid, userId: UserId) =>
  state.seenRecordings.get(uuid)?.some((seen) => seen.userId === userId) === true

export const markSeen = (draft: Draft, uuid: RecordingUuid, seen: SeenBy) => {
  if (!draft.state.recordingsByUuid.has(uuid) || isSeenBy(draft.state, uuid, seen.userId)) return
  draft.edit("seenRecordings").set(uuid, [...(draft.state.seenRecordings.get(uuid) ?? []), seen])
}

export const seenEntriesOf = ({ seenRecordings }: WorldState) =>
  seenRecordings.toArray().flatMap(([uuid, users]) => users.map((seen) => ({ uuid: uuid as RecordingUuid, ...seen })))

const forgetSeen = (draft: Draft, endedBefore: Instant): number => {
  let forgotten = 0
  for (const [uuid, users] of draft.state.seenRecordings.toArray()) {
    const kept = users.filter(({ expiresAt }) => expiresAt >= endedBefore || forgotten++ >= maxForgotten)
    if (kept.length === users.length) continue
    if (kept.length === 0) draft.edit("seenRecordings").delete(uuid)
    else draft.edit("seenRecordings").set(uuid, kept)
  }
  return Math.min(forgotten, maxForgotten)
}

/** Records of opened recordings in memory. */
export const seenRecordings = ({
  read,
  write
}: MemoryState): Pick<RecordingRepository, "forgetSeen" | "markSeen" | "seenBy"> => ({
  markSeen: (uuid, seen) => write((draft) => markSeen(draft, uuid, seen)),
  seenBy: (userId, uuids) => read((state) => new Set(uuids.filter((uuid) => isSeenBy(state, uuid, userId)))),
  forgetSeen: (endedBefore) => write((draft) => forgetSeen(draft, endedBefore))
})
