import {
  type Caller,
  defaultServiceConfig,
  RecordingChanges,
  type RecordingUpdates,
  ServiceConfig,
  type Store,
  storeLayer
} from "@tapedeck/core"
import { FolderId, type Recording, TokenId, type User, UserId } from "@tapedeck/domain"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { describe, expect } from "vitest"
import type { Promised, StoreBackend } from "./backend.ts"
import { aFolder, anAccount, aRecording, aUser, instantAfter, uuidOf } from "./samples.ts"

const account = anAccount(1)
const caller = (user: User): Caller => ({ user, account, tokenId: TokenId.make("token"), kind: "access" })
const admin = caller(aUser(1, { role: "admin" }))
const ada = caller(aUser(11, { role: "member" }))
const bob = caller(aUser(12, { role: "member" }))

const titleOf = ({ title }: Recording) => title ?? ""

/** A reader's mirror of the list, in which each page is counted. */
const makeMirror = (store: Store, caller: Caller, pageSize = 100) => {
  const titles = new Map<string, string>()
  const state = { since: "", requests: 0 }
  const layer = RecordingChanges.layer.pipe(
    Layer.provide([storeLayer(store), Layer.succeed(ServiceConfig, { ...defaultServiceConfig, pageSize })])
  )
  const page = Effect.gen(function* () {
    const { list } = yield* RecordingChanges
    const found: RecordingUpdates = yield* list(caller, state.since)
    state.requests += 1
    state.since = found.nextSince
    for (const item of found.items) {
      if ("removed" in item) titles.delete(item.removed)
      else titles.set(item.recording.uuid, titleOf(item.recording))
    }
    return found
  }).pipe(Effect.provide(layer))

  /** Reads to the end, and returns what was listed: titles, and `-` for removals. */
  const read = Effect.gen(function* () {
    const listed: Array<string> = []
    for (let hasMore = true; hasMore; ) {
      const found = yield* page
      for (const item of found.items) listed.push("removed" in item ? `-${item.removed}` : titleOf(item.recording))
      hasMore = found.hasMore
    }
    return listed
  })
  return { titles, state, page: Effect.orDie(page), sync: Effect.orDie(read), refusal: Effect.flip(read) }
}

const named = (id: number, title: string, known: Partial<Recording> = {}) => aRecording(id, { title, ...known })

const removed = (id: number) => `-${uuidOf(id)}`

export const recordingChanges = (promised: Promised, { hasParallelTransactions = false }: StoreBackend): void => {
  describe("changes of recordings", () => {
    promised("lists 10 changes of 300 recordings in one request, in the order of commits", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.add(Array.from({ length: 300 }, (_, index) => named(index + 1, `${index + 1}`)))
        const mirror = makeMirror(store, admin)
        expect(yield* mirror.sync).toHaveLength(300)
        expect(mirror.state.requests).toBe(3)
        for (const id of [7, 5, 299, 6, 8, 20, 21, 22]) yield* store.recordings.save(named(id, `new ${id}`))
        yield* store.recordings.remove(uuidOf(9))
        yield* store.recordings.remove(uuidOf(7))
        mirror.state.requests = 0
        const changed = [5, 299, 6, 8, 20, 21, 22].map((id) => `new ${id}`)
        expect(yield* mirror.sync).toEqual([...changed, removed(9), removed(7)])
        expect(yield* mirror.sync).toEqual([])
        expect(mirror.state.requests).toBe(2)
        expect(mirror.titles.size).toBe(298)
      })
    )

    promised("continues within a transaction that changed more than a page", ({ store }) =>
      Effect.gen(function* () {
        const mirror = makeMirror(store, admin, 2)
        yield* mirror.sync
        yield* store.transaction(
          Effect.gen(function* () {
            yield* store.recordings.add([1, 2, 3, 4, 5].map((id) => named(id, `${id}`)))
            yield* store.recordings.remove(uuidOf(3))
            yield* store.recordings.remove(uuidOf(4))
          })
        )
        yield* mirror.sync
        expect([...mirror.titles.values()].sort()).toEqual(["1", "2", "5"])
      })
    )

    promised("lists what was deleted between two pages of the first list", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.add([1, 2, 3].map((id) => named(id, `${id}`)))
        const mirror = makeMirror(store, admin, 2)
        yield* mirror.page
        yield* store.recordings.remove(uuidOf(1))
        yield* store.recordings.remove(uuidOf(3))
        yield* mirror.sync
        expect([...mirror.titles.values()]).toEqual(["2"])
      })
    )

    promised("withdraws a recording from the member who owned it, and lists it to the new owner", ({ store }) =>
      Effect.gen(function* () {
        const mirrors = { ada: makeMirror(store, ada), bob: makeMirror(store, bob), admin: makeMirror(store, admin) }
        const of = (ownerId: number | null) => ({ ownerId: ownerId === null ? null : UserId.make(ownerId) })
        yield* store.recordings.add([named(1, "one", of(11)), named(2, "two", of(12)), named(3, "three", of(null))])
        for (const { sync } of Object.values(mirrors)) yield* sync
        yield* store.recordings.save(named(1, "moved", of(12)))
        expect(yield* mirrors.ada.sync).toEqual([removed(1)])
        expect(yield* mirrors.bob.sync).toEqual(["moved"])
        expect(yield* mirrors.admin.sync).toEqual(["moved"])
        yield* store.recordings.save(named(1, "back", of(11)))
        yield* store.recordings.save(named(1, "away", of(12)))
        yield* store.recordings.save(named(1, "back again", of(11)))
        yield* store.recordings.remove(uuidOf(2))
        expect(yield* mirrors.ada.sync).toEqual(["back again"])
        expect([...new Set(yield* mirrors.bob.sync)]).toEqual([removed(1), removed(2)])
        expect(yield* mirrors.admin.sync).toEqual(["back again", removed(2)])
      })
    )

    promised("lists recordings that leave a folder, and none for a view", ({ store }) =>
      Effect.gen(function* () {
        const folderId = FolderId.make("vip")
        yield* store.folders.save(aFolder("vip"))
        yield* store.recordings.add([named(1, "one", { folderId }), named(2, "two")])
        const mirror = makeMirror(store, admin)
        yield* mirror.sync
        yield* store.recordings.countView(aRecording(2).id)
        expect(yield* mirror.sync).toEqual([])
        yield* store.recordings.leaveFolder({ accountId: account.id, id: folderId }, { after: null, limit: 10 })
        expect(yield* mirror.sync).toEqual(["one"])
      })
    )

    promised("lists no change of a transaction that failed", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.add([named(1, "one")])
        const mirror = makeMirror(store, admin)
        yield* mirror.sync
        const failing = Effect.andThen(store.recordings.save(named(1, "never")), Effect.fail("stop"))
        yield* Effect.flip(store.transaction(failing))
        expect(yield* mirror.sync).toEqual([])
      })
    )

    promised("misses neither of two transactions of which the later one commits first", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.add([named(1, "one"), named(2, "two"), named(3, "three")])
        const mirror = makeMirror(store, admin, 1)
        yield* mirror.sync
        const hasWritten = yield* Deferred.make<void>()
        const mayCommit = yield* Deferred.make<void>()
        const earlier = store.transaction(
          Effect.gen(function* () {
            yield* store.recordings.save(named(1, "earlier"))
            yield* Deferred.succeed(hasWritten, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
        const early = yield* Effect.forkChild(earlier)
        yield* Deferred.await(hasWritten)
        const late = yield* Effect.forkChild(store.recordings.save(named(2, "later")))
        // Elsewhere transactions run one after another: the later one waits for the earlier one, and a reader may.
        if (hasParallelTransactions) {
          yield* Fiber.join(late)
          expect(yield* mirror.sync).toEqual(["later"])
        }
        yield* Deferred.succeed(mayCommit, undefined)
        yield* Fiber.join(early)
        yield* Fiber.join(late)
        yield* mirror.sync
        expect([...mirror.titles.values()].sort()).toEqual(["earlier", "later", "three"])
        expect(yield* mirror.sync).toEqual([])
      })
    )

    promised("refuses a place whose later removals are forgotten, and no other", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* store.recordings.add([named(1, "one"), named(2, "two"), named(3, "three")])
        const [late, early] = [makeMirror(store, admin), makeMirror(store, admin)]
        yield* early.sync
        yield* store.recordings.remove(uuidOf(1))
        yield* late.sync
        yield* setTime(instantAfter(1_000))
        yield* store.recordings.remove(uuidOf(2))
        expect(yield* store.recordings.forgetRemovals(instantAfter(1_000))).toBe(1)
        expect(yield* store.recordings.forgetRemovals(instantAfter(1_000))).toBe(0)
        expect(yield* late.sync).toEqual([removed(2)])
        expect(yield* Effect.orDie(early.refusal)).toMatchObject({ _tag: "ChangesForgotten" })
        early.state.since = ""
        expect(yield* early.sync).toEqual(["three"])
      })
    )

    promised("refuses a place of another store and of another view", ({ store }) =>
      Effect.gen(function* () {
        const mirror = makeMirror(store, admin)
        yield* mirror.sync
        const { since } = mirror.state
        const other = makeMirror(store, ada)
        other.state.since = since
        expect(yield* Effect.orDie(other.refusal)).toMatchObject({ _tag: "ChangesForgotten" })
        const text = Buffer.from(since, "base64url").toString()
        mirror.state.since = Buffer.from(text.replace(/,"[^"]+"/, ',"x"')).toString("base64url")
        expect(yield* Effect.orDie(mirror.refusal)).toMatchObject({ _tag: "ChangesForgotten" })
      })
    )

    promised(
      "continues in the next process",
      ({ reopen, store }) =>
        Effect.gen(function* () {
          yield* store.recordings.add([named(1, "one"), named(2, "two")])
          const before = makeMirror(store, admin)
          yield* before.sync
          yield* store.recordings.save(named(2, "changed"))
          const after = makeMirror(yield* reopen, admin)
          after.state.since = before.state.since
          expect(yield* after.sync).toEqual(["changed"])
        }),
      "reopen"
    )
  })
}
