// @effect-diagnostics missingEffectContext:off
import type { Recording, User } from "@tapedeck/domain"
import { Effect, Layer } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import {
  defaultServiceConfig,
  emptyWorld,
  makeMemoryStore,
  partOf,
  Recordings,
  ServiceConfig,
  type Store,
  type StorePart,
  type StoreParts,
  storeContext,
  storeLayer,
  storeOf,
  wholeStore
} from "../src/index.ts"
import { ada, aRecording, bob, callerOf, uuidOf } from "./examples.ts"

/** A program's own recordings and users: two arrays. */
const archive: ReadonlyArray<Recording> = [aRecording(2, { ownerId: bob.id }), aRecording(1, { ownerId: ada.id })]
const people: ReadonlyArray<User> = [ada, bob]

const readOnly = () => Effect.die("this store is read only")

const recordings: Store["recordings"] = {
  byId: (id) => Effect.succeed(archive.find((one) => one.id === id)),
  byUuid: (uuid) => Effect.succeed(archive.find((one) => one.uuid === uuid)),
  byUuids: (uuids) => Effect.succeed(archive.filter((one) => uuids.includes(one.uuid))),
  page: ({ ownerId }, slice) =>
    Effect.succeed(
      partOf(
        archive.filter((one) => ownerId === undefined || one.ownerId === ownerId),
        slice
      )
    ),
  search: () => Effect.succeed({ count: 0, isExact: true, items: [], spoken: new Set() }),
  storedBytes: () => Effect.succeed(0),
  add: readOnly,
  save: readOnly,
  remove: readOnly,
  leaveFolder: readOnly,
  removedFolders: Effect.succeed([]),
  countView: readOnly,
  changesSince: readOnly,
  forgetRemovals: readOnly,
  markSeen: readOnly,
  seenBy: () => Effect.succeed(new Set()),
  forgetSeen: readOnly
}

const users: Store["users"] = {
  byId: (id) => Effect.succeed(people.find((one) => one.id === id)),
  byIds: (ids) => Effect.succeed(people.filter(({ id }) => ids.includes(id))),
  byEmail: (email) => Effect.succeed(people.find((one) => one.email === email)),
  page: (_, slice) => Effect.succeed(partOf(people, slice)),
  countActiveAdmins: () => Effect.succeed(1),
  activeAdmins: () => Effect.succeed([ada]),
  save: readOnly
}

const config = Layer.succeed(ServiceConfig, defaultServiceConfig)

const readAll = Effect.gen(function* () {
  const { get, list } = yield* Recordings
  const page = yield* list(callerOf(bob), { page: 1 })
  const { owner } = yield* get(callerOf(ada), uuidOf(2))
  return { titles: page.recordings.map(({ recording }) => recording.uuid), owner: owner?.name }
})

describe("the members of a store", () => {
  it("are ports: a program that reads recordings provides recordings and users", async () => {
    const services = Recordings.layer.pipe(Layer.provide([storeLayer({ recordings, users }), config]))
    expect(await Effect.runPromise(Effect.provide(readAll, services))).toEqual({ titles: [uuidOf(2)], owner: "Bob" })
  })

  it("name what is missing, in the type and at run time", async () => {
    const services = Recordings.layer.pipe(Layer.provide([storeLayer({ recordings }), config]))
    expectTypeOf<Layer.Services<typeof services>>().toEqualTypeOf<StorePart<"users">>()
    // @ts-expect-error Type 'StorePart<"users">' is not assignable to type 'never'
    const refused = Effect.runPromise(Effect.provide(readAll, services))
    await expect(refused).rejects.toThrow("@tapedeck/core/Store/users")
  })

  it("are all in a store, and may come from several layers", async () => {
    const { store } = makeMemoryStore(emptyWorld())
    expect(await Effect.runPromise(Effect.provide(wholeStore, storeContext(store)))).toEqual(store)
    const both = Layer.merge(storeLayer(store), storeLayer({ users }))
    const mixed = await Effect.runPromise(Effect.provide(storeOf("accounts", "users"), both))
    expect(mixed).toEqual({ accounts: store.accounts, users })
    expectTypeOf<Layer.Success<typeof both>>().toEqualTypeOf<StoreParts>()
  })
})
