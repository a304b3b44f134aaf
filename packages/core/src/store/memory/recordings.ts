import {
  type AccountId,
  activeTicketId,
  type Folder,
  type FolderId,
  type Instant,
  normalizedTicketId,
  type Recording,
  type RecordingId,
  type RecordingParts,
  type RecordingUuid,
  type ShareLink,
  type UserId
} from "@tapedeck/domain"
import { heldBytes } from "@tapedeck/domain/capture"
import { filesOf } from "@tapedeck/domain/internal/files"
import { noParts } from "@tapedeck/domain/internal/recordings"
import { Struct } from "effect"
import { type FolderBatch, type Part, partOf, type RecordingFilter, type Slice, type Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import { changesSince, forgetRemovals, markRecording, markRemoval } from "./recordingChanges.ts"
import { searchRecordings } from "./searchRecordings.ts"
import { seenRecordings } from "./seenRecordings.ts"
import { type Draft, folderKey, ownerKey, type WorldState } from "./WorldState.ts"

/** The keys of the lists that a recording is on. The ticket is last in its key: it may hold any character. */
const listsOf = (recording: Recording): ReadonlyArray<string> => {
  const { accountId, ownerId } = recording
  const keys = [`account:${accountId}`]
  if (ownerId !== null) keys.push(ownerKey(accountId, ownerId))
  if (recording.folderId !== null) keys.push(folderKey(recording.folderId))
  for (const ticketId of [normalizedTicketId(recording.helpdesk), activeTicketId(recording.helpdesk)]) {
    if (ticketId !== null) keys.push(`ticket:${accountId}:${ticketId}`)
  }
  return keys
}

/** Returns the index at which the recording is or belongs in a list, newest first (R7). */
const position = (state: WorldState, list: ReadonlyArray<RecordingId>, recording: Recording): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = state.recordings.get(list[middle]!)!
    const before =
      other.createdAt > recording.createdAt || (other.createdAt === recording.createdAt && other.id > recording.id)
    if (before) low = middle + 1
    else high = middle
  }
  return low
}

const unlist = (draft: Draft, recording: Recording, keys: ReadonlyArray<string>) => {
  for (const key of keys) {
    const list = draft.editList(key)
    list.splice(position(draft.state, list, recording), 1)
  }
}

const enlist = (draft: Draft, recording: Recording, keys: ReadonlyArray<string>) => {
  for (const key of keys) {
    const list = draft.editList(key)
    list.splice(position(draft.state, list, recording), 0, recording.id)
  }
}

const findRecording = (state: WorldState, uuid: RecordingUuid): Recording | undefined => {
  const id = state.recordingsByUuid.get(uuid)
  return id === undefined ? undefined : state.recordings.get(id)
}

export const saveRecording = (draft: Draft, saved: Recording, at: Instant) => {
  const before = draft.state.recordings.get(saved.id)
  const recording =
    before === undefined || before.impressionsCount === saved.impressionsCount
      ? saved
      : { ...saved, impressionsCount: before.impressionsCount }
  const keys = listsOf(recording)
  const keysBefore = before === undefined ? [] : listsOf(before)
  // In a list that keeps the recording, its position changes only with its time of creation.
  const stays = before?.createdAt === recording.createdAt
  const left = stays ? keysBefore.filter((key) => !keys.includes(key)) : keysBefore
  const joined = stays ? keys.filter((key) => !keysBefore.includes(key)) : keys
  if (before !== undefined) unlist(draft, before, left)
  draft.edit("recordings").set(recording.id, recording)
  if (before === undefined) {
    draft.edit("recordingsByUuid").set(recording.uuid, recording.id)
    draft.countFrom("recording", recording.id)
  }
  enlist(draft, recording, joined)
  if (before !== undefined && before.ownerId !== null && before.ownerId !== recording.ownerId) {
    markRemoval(draft, before, { at, isDeleted: false })
  }
  markRecording(draft, recording.id)
}

const removeRecording = (draft: Draft, uuid: RecordingUuid, at: Instant) => {
  const recording = findRecording(draft.state, uuid)
  if (recording === undefined) return
  unlist(draft, recording, listsOf(recording))
  markRemoval(draft, recording, { at, isDeleted: true })
  draft.edit("recordings").delete(recording.id)
  draft.edit("recordingsByUuid").delete(uuid)
  if (draft.state.recordingParts.has(recording.id)) draft.edit("recordingParts").delete(recording.id)
  if (draft.state.seenRecordings.has(uuid)) draft.edit("seenRecordings").delete(uuid)
  for (const { id } of shareLinksOf(draft.state, uuid)) draft.edit("shareLinks").delete(id)
}

/** Oldest first. */
const shareLinksOf = (state: WorldState, uuid: RecordingUuid): ReadonlyArray<ShareLink> =>
  state.shareLinks
    .valuesArray()
    .filter((link) => link.recordingUuid === uuid)
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

const countView = (draft: Draft, id: RecordingId) => {
  const before = draft.state.recordings.get(id)
  if (before === undefined) return
  draft.edit("recordings").set(id, { ...before, impressionsCount: before.impressionsCount + 1 })
}

export const partsOf = (state: WorldState, id: RecordingId): RecordingParts => state.recordingParts.get(id) ?? noParts

export const saveParts = (draft: Draft, id: RecordingId, parts: Partial<RecordingParts>) =>
  draft.edit("recordingParts").set(id, { ...partsOf(draft.state, id), ...parts })

/** Removes recordings from a folder. Recordings that left in earlier batches are no longer in the list. */
const leaveFolder = (
  draft: Draft,
  { accountId, id: folderId }: Pick<Folder, "accountId" | "id">,
  { limit }: FolderBatch,
  at: Instant
) => {
  const inside = inFolder(draft.state, folderId).filter((one) => one.accountId === accountId)
  const leaving = inside.slice(-limit).reverse()
  for (const one of leaving) saveRecording(draft, { ...one, folderId: null }, at)
  const last = leaving.length === limit ? leaving.at(-1)! : undefined
  return { left: leaving.length, after: last === undefined ? null : { key: last.createdAt, id: last.id } }
}

/** Newest first. */
const inFolder = (state: WorldState, folderId: FolderId): ReadonlyArray<Recording> =>
  (state.recordingLists.get(folderKey(folderId)) ?? []).map((id) => state.recordings.get(id)!)

const removedFolders = (state: WorldState) => {
  const removed = new Map<FolderId, AccountId>()
  for (const { accountId, folderId } of state.recordings.valuesArray()) {
    if (folderId !== null && !state.folders.has(folderId)) removed.set(folderId, accountId)
  }
  return [...removed].map(([id, accountId]) => ({ id, accountId }))
}

const storedBytes = (
  state: WorldState,
  { accountId, ownerId }: { readonly accountId: AccountId; readonly ownerId: UserId }
): number => {
  let bytes = 0
  for (const id of state.recordingLists.get(ownerKey(accountId, ownerId)) ?? []) {
    for (const { sizeBytes } of filesOf(state.recordings.get(id)!.video)) bytes += sizeBytes
  }
  for (const capture of state.captures.valuesArray()) {
    const held = heldBytes(capture)
    if (held === 0) continue
    const recording = findRecording(state, capture.recordingUuid)
    if (recording?.accountId === accountId && recording.ownerId === ownerId) bytes += held
  }
  return bytes
}

const pageOfRecordings = (state: WorldState, filter: RecordingFilter, slice: Slice): Part<Recording> => {
  const { accountId, folderId, ownerId, ticket } = filter
  const get = (id: RecordingId) => state.recordings.get(id)!
  const listed = (key: string) => state.recordingLists.get(key) ?? []
  if (ticket === undefined && folderId === undefined) {
    const list = listed(ownerId === undefined ? `account:${accountId}` : ownerKey(accountId, ownerId))
    return { count: list.length, items: list.slice(slice.offset, slice.offset + slice.limit).map(get) }
  }
  const list = ticket === undefined ? folderKey(folderId!) : `ticket:${accountId}:${ticket.ticketId}`
  const matches = listed(list)
    .map(get)
    .filter(
      (one) =>
        one.accountId === accountId &&
        (ownerId === undefined || one.ownerId === ownerId) &&
        (ticket?.platform === undefined || one.helpdesk.platform === ticket.platform)
    )
  return partOf(matches, slice)
}

/** Recordings, their parts and their share links in memory. */
export const recordingRepositories = (
  state: MemoryState
): Pick<Store, "recordings" | "recordingParts" | "shareLinks"> => {
  const { origin, read, write, writeAt } = state
  return {
    recordings: {
      byId: (id) => read((state) => state.recordings.get(id)),
      byUuid: (uuid) => read((state) => findRecording(state, uuid)),
      byUuids: (uuids) =>
        read((state) => uuids.map((uuid) => findRecording(state, uuid)).filter((found) => found !== undefined)),
      page: (filter, slice) => read((state) => pageOfRecordings(state, filter, slice)),
      search: (search, after, limit) => read((state) => searchRecordings(state, search, after, limit)),
      storedBytes: (owner) => read((state) => storedBytes(state, owner)),
      add: (all) =>
        writeAt((draft, at) => {
          for (const one of all) saveRecording(draft, one, at)
        }),
      save: (recording) => writeAt((draft, at) => saveRecording(draft, recording, at)),
      remove: (uuid) => writeAt((draft, at) => removeRecording(draft, uuid, at)),
      leaveFolder: (folder, batch) => writeAt((draft, at) => leaveFolder(draft, folder, batch, at)),
      removedFolders: read(removedFolders),
      countView: (id) => write((draft) => countView(draft, id)),
      changesSince: (request) => read((state) => changesSince(state, origin(), request)),
      forgetRemovals: (removedBefore) => write((draft) => forgetRemovals(draft, removedBefore)),
      ...seenRecordings(state)
    },
    recordingParts: {
      read: (id, ...names) => read((state) => Struct.pick(partsOf(state, id), names)),
      segments: (id, source, { limit, offset }) =>
        read((state) => partsOf(state, id)[source].slice(offset, offset + limit)),
      save: (id, parts) => write((draft) => void saveParts(draft, id, parts))
    },
    shareLinks: {
      byHash: (hash) => read((state) => state.shareLinks.valuesArray().find((link) => link.hash === hash)),
      ofRecording: (uuid) => read((state) => shareLinksOf(state, uuid)),
      add: (link) => write((draft) => void draft.edit("shareLinks").set(link.id, link)),
      remove: (id) => write((draft) => void draft.edit("shareLinks").delete(id))
    }
  }
}
