import type { RecordingFilter, Store } from "@tapedeck/core"
import { type Platform, type Recording, UserId } from "@tapedeck/domain"
import { type NativeIdField, nativeIdField } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aCapture } from "./captures.ts"
import { anAccount, aRecording, at, fullRecording, instantAfter, uuidOf } from "./samples.ts"

const acme = anAccount(1).id
const other = anAccount(2).id
const ada = UserId.make(11)
const bob = UserId.make(12)

const idsOf = (store: Store, filter: Omit<RecordingFilter, "accountId"> & Partial<RecordingFilter> = {}) =>
  Effect.map(store.recordings.page({ accountId: acme, ...filter }, { offset: 0, limit: 1_000 }), ({ count, items }) => {
    expect(items).toHaveLength(count)
    return items.map(({ id }) => Number(id))
  })

const saveAll = (store: Store, recordings: ReadonlyArray<Recording>) =>
  Effect.forEach(recordings, store.recordings.save, { discard: true })

const platforms = Object.entries({
  zendesk: "ticketId",
  intercom: "conversationId",
  freshdesk: "ticketId",
  freshdesk_chat: "conversationId",
  freshservice: "ticketId",
  helpscout: "conversationId",
  hubspot: "objectId",
  jira: "issueId",
  app: null
} satisfies Record<Platform, NativeIdField | null>) as ReadonlyArray<[Platform, NativeIdField | null]>

/** Returns a helpdesk with a different id in each field that has the native id of a platform. */
const everyId = (platform: Platform) =>
  at(platform, { ticketId: "in ticket", conversationId: "in conversation", issueId: "in issue", objectId: "in object" })

export const recordings = (promised: Promised): void => {
  describe("a recording", () => {
    promised("is read as it was saved, by id and by UUID", ({ store }) =>
      Effect.gen(function* () {
        const saved = [aRecording(1), fullRecording(2)]
        yield* saveAll(store, saved)
        for (const one of saved) {
          expect(yield* store.recordings.byId(one.id)).toEqual(one)
          expect(yield* store.recordings.byUuid(one.uuid)).toEqual(one)
        }
        expect(yield* store.recordings.page({ accountId: acme }, { offset: 0, limit: 2 })).toEqual({
          count: 2,
          items: saved
        })
        expect(yield* store.recordings.byId(aRecording(3).id)).toBeUndefined()
        expect(yield* store.recordings.byUuid(uuidOf(3))).toBeUndefined()
      })
    )

    promised("counts the bytes of its files for its owner, while it has them", ({ store }) =>
      Effect.gen(function* () {
        const stored = (ownerId: UserId) => store.recordings.storedBytes({ accountId: acme, ownerId })
        const aFile = Effect.fnUntraced(function* (fileId: string, sizeBytes: number) {
          yield* store.files.save(fileId, { kind: "made_up", sizeBytes })
          return { fileId, contentType: "video/webm", sizeBytes, etag: fileId }
        })
        const none = { original: null, processed: null, edited: null }
        const first = aRecording(1, { ownerId: ada, video: { ...none, original: yield* aFile("a", 5) } })
        const second = aRecording(2, {
          ownerId: ada,
          video: { ...none, edited: yield* aFile("b", 70), thumbnail: yield* aFile("c", 900) }
        })
        expect(yield* stored(ada)).toBe(0)
        yield* saveAll(store, [first, second, aRecording(3, { ownerId: bob })])
        expect([yield* stored(ada), yield* stored(bob)]).toEqual([975, 0])
        yield* store.recordings.save({ ...second, video: none })
        expect(yield* stored(ada)).toBe(5)
        yield* store.recordings.save({ ...first, ownerId: bob })
        expect([yield* stored(ada), yield* stored(bob)]).toEqual([0, 5])
        yield* store.recordings.remove(first.uuid)
        expect(yield* stored(bob)).toBe(0)
      })
    )

    promised("counts the bytes that captures hold for their recordings' owner, until they are joined", ({ store }) =>
      Effect.gen(function* () {
        const stored = (ownerId: UserId) => store.recordings.storedBytes({ accountId: acme, ownerId })
        yield* saveAll(store, [aRecording(1, { ownerId: ada }), aRecording(2, { ownerId: bob })])
        const mine = aCapture("a", { recordingUuid: uuidOf(1), receivedBytes: 3_000_000_000 })
        for (const state of ["open", "finishing", "abandoning"] as const) {
          yield* store.captures.save({ ...mine, state })
          expect([yield* stored(ada), yield* stored(bob)]).toEqual([3_000_000_000, 0])
        }
        yield* store.captures.save(aCapture("b", { recordingUuid: uuidOf(1), receivedBytes: 5 }))
        expect(yield* stored(ada)).toBe(3_000_000_005)
        yield* store.captures.save({ ...mine, state: "finished" })
        expect(yield* stored(ada)).toBe(5)
        yield* store.captures.remove("b")
        expect(yield* stored(ada)).toBe(0)
      })
    )

    promised("is changed by saving it again, and listed once", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(fullRecording(1))
        yield* store.recordings.save(aRecording(1, { title: null }))
        const { impressionsCount } = fullRecording(1)
        expect(yield* store.recordings.byUuid(uuidOf(1))).toEqual(aRecording(1, { title: null, impressionsCount }))
        expect(yield* idsOf(store)).toEqual([1])
        expect(yield* idsOf(store, { ownerId: ada })).toEqual([])
      })
    )

    promised("is removed from every list and search, and the others stay", ({ store }) =>
      Effect.gen(function* () {
        const helpdesk = at("zendesk", { ticketId: "4711", activeTicketId: "4712" })
        yield* saveAll(
          store,
          [1, 2, 3].map((id) => aRecording(id, { ownerId: ada, helpdesk }))
        )
        yield* store.recordings.remove(uuidOf(2))
        yield* store.recordings.remove(uuidOf(9))
        expect(yield* store.recordings.byUuid(uuidOf(2))).toBeUndefined()
        expect(yield* store.recordings.byId(aRecording(2).id)).toBeUndefined()
        for (const filter of [
          {},
          { ownerId: ada },
          { ticket: { ticketId: "4711" } },
          { ticket: { ticketId: "4712" } }
        ]) {
          expect(yield* idsOf(store, filter)).toEqual([3, 1])
        }
      })
    )
  })

  describe("a list of recordings", () => {
    promised("is newest first, ties by id, the higher one first (R7)", ({ store }) =>
      Effect.gen(function* () {
        yield* saveAll(store, [
          aRecording(9),
          aRecording(2, { createdAt: instantAfter(10) }),
          aRecording(100),
          aRecording(50, { createdAt: instantAfter(-1) }),
          aRecording(1, { createdAt: instantAfter(10) }),
          aRecording(10)
        ])
        expect(yield* idsOf(store)).toEqual([2, 1, 100, 10, 9, 50])
      })
    )

    promised("is read in slices, each with the total count", ({ store }) =>
      Effect.gen(function* () {
        yield* saveAll(
          store,
          [1, 2, 3, 4, 5].map((id) => aRecording(id))
        )
        const slice = (offset: number, limit: number) =>
          Effect.map(store.recordings.page({ accountId: acme }, { offset, limit }), ({ count, items }) => [
            count,
            items.map(({ id }) => Number(id))
          ])
        expect(yield* slice(0, 2)).toEqual([5, [5, 4]])
        expect(yield* slice(2, 2)).toEqual([5, [3, 2]])
        expect(yield* slice(4, 2)).toEqual([5, [1]])
        expect(yield* slice(5, 2)).toEqual([5, []])
        expect(yield* slice(1_000, 2)).toEqual([5, []])
      })
    )

    promised("contains one account's recordings, or one owner's on request", ({ store }) =>
      Effect.gen(function* () {
        yield* saveAll(store, [
          aRecording(1, { ownerId: ada }),
          aRecording(2, { ownerId: bob }),
          aRecording(3),
          aRecording(4, { accountId: other, ownerId: ada })
        ])
        expect(yield* idsOf(store)).toEqual([3, 2, 1])
        expect(yield* idsOf(store, { ownerId: ada })).toEqual([1])
        expect(yield* idsOf(store, { ownerId: UserId.make(13) })).toEqual([])
        expect(yield* idsOf(store, { accountId: other })).toEqual([4])
        expect(yield* idsOf(store, { accountId: other, ownerId: ada })).toEqual([4])
        expect(yield* idsOf(store, { accountId: other, ownerId: bob })).toEqual([])
        expect(yield* idsOf(store, { accountId: anAccount(3).id })).toEqual([])
      })
    )

    promised("sorts a recording by its new date, owner and account after a change", ({ store }) =>
      Effect.gen(function* () {
        yield* saveAll(
          store,
          [1, 2, 3].map((id) => aRecording(id, { ownerId: ada }))
        )
        yield* store.recordings.save(aRecording(1, { ownerId: ada, createdAt: instantAfter(5) }))
        expect(yield* idsOf(store)).toEqual([1, 3, 2])
        expect(yield* idsOf(store, { ownerId: ada })).toEqual([1, 3, 2])
        yield* store.recordings.save(aRecording(3, { ownerId: bob, createdAt: instantAfter(-5) }))
        expect(yield* idsOf(store)).toEqual([1, 2, 3])
        expect(yield* idsOf(store, { ownerId: ada })).toEqual([1, 2])
        expect(yield* idsOf(store, { ownerId: bob })).toEqual([3])
        yield* store.recordings.save(aRecording(2, { ownerId: null }))
        yield* store.recordings.save(aRecording(1, { accountId: other, ownerId: ada }))
        expect(yield* idsOf(store, { ownerId: ada })).toEqual([])
        expect(yield* idsOf(store)).toEqual([2, 3])
        expect(yield* idsOf(store, { accountId: other })).toEqual([1])
      })
    )
  })

  describe("a ticket search", () => {
    for (const [platform, field] of platforms) {
      promised(
        `finds a recording of ${platform} by its ${field ?? "nothing: it has no tickets"} (N5, N6)`,
        ({ store }) =>
          Effect.gen(function* () {
            yield* store.recordings.save(aRecording(1, { helpdesk: everyId(platform) }))
            for (const [of, ticketId] of Object.entries(everyId(platform))) {
              if (ticketId === null || of === "platform") continue
              expect(yield* idsOf(store, { ticket: { ticketId } })).toEqual(of === nativeIdField(platform) ? [1] : [])
            }
          })
      )
    }

    promised("finds by the active follow-up of Zendesk too, and of no other helpdesk (N5, N6)", ({ store }) =>
      Effect.gen(function* () {
        const ids = { ticketId: "1", conversationId: "1", issueId: "1", objectId: "1", activeTicketId: "2" }
        yield* saveAll(
          store,
          platforms.map(([platform], index) => aRecording(index + 1, { helpdesk: at(platform, ids) }))
        )
        expect(yield* idsOf(store, { ticket: { ticketId: "2" } })).toEqual([1])
        expect(yield* idsOf(store, { ticket: { ticketId: "1" } })).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
      })
    )

    promised("finds a recording once if its follow-up is the ticket itself, or if it has nothing else", ({ store }) =>
      Effect.gen(function* () {
        yield* saveAll(store, [
          aRecording(1, { helpdesk: at("zendesk", { ticketId: "7", activeTicketId: "7" }) }),
          aRecording(2, { helpdesk: at("zendesk", { activeTicketId: "7" }) })
        ])
        expect(yield* idsOf(store, { ticket: { ticketId: "7" } })).toEqual([2, 1])
      })
    )

    promised("matches exactly: no case, no part, no pattern, no number (N6)", ({ store }) =>
      Effect.gen(function* () {
        const written = ["PROJ-7", "0042", "a%", "with space ", "with:colon", "ünï", "a\0b", "\ud800", '"\\ud800"']
        yield* saveAll(
          store,
          written.map((issueId, index) => aRecording(index + 1, { helpdesk: at("jira", { issueId }) }))
        )
        for (const [index, ticketId] of written.entries()) {
          expect(yield* idsOf(store, { ticket: { ticketId } })).toEqual([index + 1])
        }
        for (const ticketId of [
          "proj-7",
          "PROJ",
          "42",
          "%",
          "a",
          "with space",
          " with space ",
          "colon",
          "",
          "uni",
          "a\0",
          "\udfff",
          "\ufffd"
        ]) {
          expect(yield* idsOf(store, { ticket: { ticketId } })).toEqual([])
        }
      })
    )

    promised("can be restricted to a platform, an owner and an account", ({ store }) =>
      Effect.gen(function* () {
        const ticketId = "7"
        yield* saveAll(store, [
          aRecording(1, { ownerId: ada, helpdesk: at("zendesk", { ticketId }) }),
          aRecording(2, { ownerId: bob, helpdesk: at("zendesk", { ticketId }) }),
          aRecording(3, { ownerId: ada, helpdesk: at("freshdesk", { ticketId }) }),
          aRecording(4, { ownerId: ada, accountId: other, helpdesk: at("zendesk", { ticketId }) })
        ])
        expect(yield* idsOf(store, { ticket: { ticketId } })).toEqual([3, 2, 1])
        expect(yield* idsOf(store, { ticket: { ticketId, platform: "zendesk" } })).toEqual([2, 1])
        expect(yield* idsOf(store, { ownerId: ada, ticket: { ticketId, platform: "zendesk" } })).toEqual([1])
        expect(yield* idsOf(store, { ownerId: ada, ticket: { ticketId } })).toEqual([3, 1])
        expect(yield* idsOf(store, { ticket: { ticketId, platform: "jira" } })).toEqual([])
        expect(yield* idsOf(store, { accountId: other, ticket: { ticketId } })).toEqual([4])
      })
    )

    promised("is newest first and read in slices, as every list", ({ store }) =>
      Effect.gen(function* () {
        const helpdesk = at("hubspot", { objectId: "7" })
        yield* saveAll(store, [
          aRecording(1, { helpdesk, createdAt: instantAfter(1) }),
          aRecording(2, { helpdesk }),
          aRecording(3, { helpdesk }),
          aRecording(4)
        ])
        const ticket = { ticketId: "7" }
        expect(yield* idsOf(store, { ticket })).toEqual([1, 3, 2])
        const slice = yield* store.recordings.page({ accountId: acme, ticket }, { offset: 1, limit: 1 })
        expect(slice).toEqual({ count: 3, items: [aRecording(3, { helpdesk })] })
      })
    )

    promised("finds a recording by its present ids, and not by previous ones", ({ store }) =>
      Effect.gen(function* () {
        const found = (ticketId: string) => idsOf(store, { ticket: { ticketId } })
        yield* store.recordings.save(
          aRecording(1, { helpdesk: at("zendesk", { ticketId: "a", activeTicketId: "b", issueId: "c" }) })
        )
        yield* store.recordings.save(
          aRecording(1, { helpdesk: at("zendesk", { ticketId: "b", activeTicketId: "c", issueId: "c" }) })
        )
        expect([yield* found("a"), yield* found("b"), yield* found("c")]).toEqual([[], [1], [1]])
        yield* store.recordings.save(aRecording(1, { helpdesk: at("jira", { ticketId: "b", issueId: "c" }) }))
        expect([yield* found("a"), yield* found("b"), yield* found("c")]).toEqual([[], [], [1]])
        yield* store.recordings.save(aRecording(1, { helpdesk: at("app", { ticketId: "b", issueId: "c" }) }))
        expect([yield* found("a"), yield* found("b"), yield* found("c")]).toEqual([[], [], []])
      })
    )

    promised("distinguishes two ids from one that contains both", ({ store }) =>
      Effect.gen(function* () {
        const both = "a\nticket:1:b"
        yield* store.recordings.save(aRecording(1, { helpdesk: at("zendesk", { ticketId: both }) }))
        yield* store.recordings.save(aRecording(1, { helpdesk: at("zendesk", { ticketId: "a", activeTicketId: "b" }) }))
        expect(yield* idsOf(store, { ticket: { ticketId: "a" } })).toEqual([1])
        expect(yield* idsOf(store, { ticket: { ticketId: both } })).toEqual([])
      })
    )
  })
}
