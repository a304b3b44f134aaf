import type { RecordingFilter, RecordingPlace, Store } from "@tapedeck/core"
import { FolderId, type Recording, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aFolder, anAccount, aRecording, fullRecording, instantAfter, uuidOf } from "./samples.ts"

const acme = anAccount(1).id
const other = anAccount(2).id
const ada = UserId.make(11)
const bob = UserId.make(12)

const idsOf = (store: Store, filter: Partial<RecordingFilter> = {}) =>
  Effect.map(store.recordings.page({ accountId: acme, ...filter }, { offset: 0, limit: 1_000 }), ({ count, items }) => {
    expect(items).toHaveLength(count)
    return items.map(({ id }) => Number(id))
  })

const saveAll = (store: Store, recordings: ReadonlyArray<Recording>) =>
  Effect.forEach(recordings, store.recordings.save, { discard: true })

export const recordingLists = (promised: Promised): void => {
  describe("the recordings of a folder", () => {
    const [vip, later] = [FolderId.make("vip"), FolderId.make("later")]

    promised("are listed newest first, by account and by owner too", ({ store }) =>
      Effect.gen(function* () {
        yield* saveAll(store, [
          aRecording(1, { folderId: vip, ownerId: ada, createdAt: instantAfter(5) }),
          aRecording(2, { folderId: vip, ownerId: bob }),
          aRecording(3, { folderId: later }),
          aRecording(4),
          aRecording(5, { folderId: vip })
        ])
        expect(yield* idsOf(store, { folderId: vip })).toEqual([1, 5, 2])
        expect(yield* idsOf(store, { folderId: vip, ownerId: bob })).toEqual([2])
        expect(yield* idsOf(store, { folderId: vip, accountId: other })).toEqual([])
        expect(yield* store.recordings.page({ accountId: acme, folderId: vip }, { offset: 1, limit: 1 })).toMatchObject(
          {
            count: 3,
            items: [{ id: 5 }]
          }
        )
      })
    )

    promised("move with their folder, and are in at most one (W13)", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(1, { folderId: vip }))
        yield* store.recordings.save(aRecording(1, { folderId: later }))
        expect([yield* idsOf(store, { folderId: vip }), yield* idsOf(store, { folderId: later })]).toEqual([[], [1]])
        yield* store.recordings.save(aRecording(1))
        expect(yield* idsOf(store, { folderId: later })).toEqual([])
        yield* store.recordings.save(aRecording(1, { folderId: vip }))
        yield* store.recordings.remove(uuidOf(1))
        expect(yield* idsOf(store, { folderId: vip })).toEqual([])
      })
    )

    promised("leave it in batches, oldest first, and are otherwise unchanged", ({ store }) =>
      Effect.gen(function* () {
        yield* saveAll(store, [
          fullRecording(1),
          aRecording(2, { folderId: vip, ownerId: ada }),
          aRecording(3, { folderId: vip }),
          aRecording(4, { folderId: vip, ownerId: ada })
        ])
        const leave = (after: RecordingPlace | null) =>
          store.recordings.leaveFolder({ accountId: acme, id: vip }, { after, limit: 2 })
        const first = yield* leave(null)
        expect(first).toEqual({ left: 2, after: { key: aRecording(3).createdAt, id: 3 } })
        expect(yield* idsOf(store, { folderId: vip })).toEqual([4])
        expect(yield* idsOf(store, { folderId: vip, ownerId: ada })).toEqual([4])
        expect(yield* leave(first.after)).toEqual({ left: 1, after: null })
        expect(yield* leave(null)).toEqual({ left: 0, after: null })
        expect(yield* idsOf(store, { folderId: vip })).toEqual([])
        expect(yield* store.recordings.byUuid(uuidOf(2))).toEqual(aRecording(2, { ownerId: ada }))
        expect(yield* store.recordings.byUuid(uuidOf(1))).toEqual(fullRecording(1))
      })
    )

    promised("are found as those of a removed folder until they have left it", ({ store }) =>
      Effect.gen(function* () {
        yield* store.folders.save(aFolder("vip"))
        yield* saveAll(store, [aRecording(1, { folderId: vip }), aRecording(2, { folderId: later })])
        yield* store.folders.save(aFolder("later"))
        expect(yield* store.recordings.removedFolders).toEqual([])
        yield* store.folders.remove(vip)
        expect(yield* store.recordings.removedFolders).toEqual([{ accountId: acme, id: vip }])
        yield* store.recordings.leaveFolder({ accountId: acme, id: vip }, { after: null, limit: 2 })
        expect(yield* store.recordings.removedFolders).toEqual([])
      })
    )
  })

  describe("new recordings", () => {
    promised("that are added together are listed as if each had been saved", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(2, { ownerId: ada }))
        yield* store.recordings.add([])
        yield* store.recordings.add([
          fullRecording(1),
          aRecording(3, { createdAt: instantAfter(-5) }),
          aRecording(4, { ownerId: ada })
        ])
        expect(yield* idsOf(store)).toEqual([4, 2, 3, 1])
        expect(yield* idsOf(store, { ownerId: ada })).toEqual([4, 2, 1])
        expect(yield* store.recordings.byUuid(uuidOf(1))).toEqual(fullRecording(1))
        expect(yield* store.nextNumber("recording")).toBe(5)
      })
    )
  })
}
