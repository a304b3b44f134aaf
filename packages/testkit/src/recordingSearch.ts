import { maxTermOwners, type RecordingSearch, type Store } from "@tapedeck/core"
import { FolderId, type Recording, UserId } from "@tapedeck/domain"
import { orderKey, parseSearch, recordingOrders } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, aRecording, at, aUser, instantAfter } from "./samples.ts"

const acme = anAccount(1).id
const ada = UserId.make(11)
const vip = FolderId.make('v "i" p\'s %_')

type Asked = Omit<RecordingSearch, "accountId" | "order"> & Partial<RecordingSearch>

const searched = (store: Store, asked: Asked) =>
  store.recordings.search({ accountId: acme, order: "-created_at", ...asked }, null, 1_000)

const idsOf = (store: Store, asked: Asked) =>
  Effect.map(searched(store, asked), ({ count, isExact, items }) => {
    expect([items.length, isExact]).toEqual([count, true])
    return items.map(({ id }) => Number(id))
  })

const searchIds = (store: Store, text: string) => idsOf(store, parseSearch(text))

const saveAll = (store: Store, recordings: ReadonlyArray<Recording>) =>
  Effect.forEach(recordings, store.recordings.save, { discard: true })

export const recordingSearch = (promised: Promised): void => {
  describe("a search of recordings", () => {
    promised(
      "finds all words of a query as prefixes, without regard to case and accents, in five fields",
      ({ store }) =>
        Effect.gen(function* () {
          yield* saveAll(store, [
            aRecording(1, { title: "Crème Brûlée: checkout FAILS (again)", summary: "The pay-button does nothing." }),
            aRecording(2, { title: "It's 100% broken", customerEmail: "Zoë.Customer@example.com" }),
            aRecording(3, { title: null, helpdesk: at("zendesk", { ticketId: "SUP-128", activeTicketId: "9001" }) }),
            aRecording(4, { accountId: anAccount(2).id, title: "Checkout" }),
            aRecording(5, { title: "日本語のタイトル İstanbul", description: "Billing page" })
          ])
          expect(yield* searchIds(store, "check")).toEqual([1])
          expect(yield* searchIds(store, "CREME brulee pay")).toEqual([1])
          expect(yield* searchIds(store, "button-does")).toEqual([1])
          expect(yield* searchIds(store, "heckout")).toEqual([])
          expect(yield* searchIds(store, "check zoe")).toEqual([])
          expect(yield* searchIds(store, "zoe.customer@EXAMPLE.com")).toEqual([2])
          expect(yield* searchIds(store, "100%")).toEqual([2])
          expect(yield* searchIds(store, "sup-128")).toEqual([3])
          expect(yield* searchIds(store, "9001")).toEqual([3])
          expect(yield* searchIds(store, "日本 billing")).toEqual([5])
          expect(yield* searchIds(store, "or not and")).toEqual([])
        })
    )

    promised("finds the ticket as it is shown, and a UUID alone or in an address, of the account only", ({ store }) =>
      Effect.gen(function* () {
        const other = anAccount(2).id
        yield* saveAll(store, [
          aRecording(1, { helpdesk: at("zendesk", { ticketId: "4711" }) }),
          aRecording(2, { helpdesk: at("freshdesk_chat", { conversationId: "4711" }), title: "Lost" }),
          aRecording(3, { helpdesk: at("zendesk", {}), title: "4711" }),
          aRecording(4, { accountId: other })
        ])
        expect(yield* searchIds(store, "Zendesk 4711")).toEqual([1])
        expect(yield* searchIds(store, "Freshdesk Chat 4711")).toEqual([2])
        expect(yield* searchIds(store, "4711")).toEqual([3, 2, 1])
        const { uuid } = aRecording(2)
        for (const text of [uuid, ` ${uuid.toUpperCase()}\n`, `https://t.example/recordings/${uuid}?tab=log&t=12`]) {
          expect(yield* searchIds(store, text)).toEqual([2])
          for (const order of recordingOrders) expect(yield* idsOf(store, { ...parseSearch(text), order })).toEqual([2])
          expect(yield* idsOf(store, { ...parseSearch(text), type: "Live" })).toEqual([])
          expect(yield* idsOf(store, { ...parseSearch(text), ownerId: ada })).toEqual([])
        }
        expect(yield* searchIds(store, aRecording(4).uuid)).toEqual([])
        expect(yield* searchIds(store, "00000000-1111-4222-8333-444444444444")).toEqual([])
      })
    )

    promised("finds a recording by its owner's present name and e-mail address, beside its own words", ({ store }) =>
      Effect.gen(function* () {
        const bob = aUser(12, { email: "Bob.Noyce@acme.test", name: "Róbert Noyce" })
        yield* store.users.save(aUser(11, { email: "ada@acme.test", name: "Ada Lovelace" }))
        yield* store.users.save(bob)
        yield* store.users.save(aUser(13, { accountId: anAccount(2).id, email: "bob@other.test", name: "Bob Other" }))
        yield* saveAll(store, [
          aRecording(1, { ownerId: ada, title: "Robert's cart" }),
          aRecording(2, { ownerId: bob.id, title: "Checkout" }),
          aRecording(3, { ownerId: null, customerEmail: "bob@customer.test" }),
          aRecording(4, { ownerId: UserId.make(13), accountId: anAccount(2).id, title: "Checkout" })
        ])
        expect(yield* searchIds(store, "robert")).toEqual([2, 1])
        expect(yield* searchIds(store, "checkout NOYCE rob")).toEqual([2])
        expect(yield* searchIds(store, "noyce cart")).toEqual([])
        expect(yield* searchIds(store, "bob.noyce@ACME.test")).toEqual([2])
        expect(yield* searchIds(store, "<bob.noyce@acme.test>, checkout")).toEqual([2])
        expect(yield* searchIds(store, "bob")).toEqual([3, 2])
        expect(yield* searchIds(store, "bob@customer.test")).toEqual([3])
        // Colleagues share the rest of their addresses: it would find everything.
        expect(yield* searchIds(store, "acme")).toEqual([])
        for (const order of recordingOrders) {
          expect(yield* idsOf(store, { ...parseSearch("noyce"), order, type: "Received" })).toEqual([2])
          expect(yield* idsOf(store, { ...parseSearch("noyce"), order, ownerId: ada })).toEqual([])
        }
        yield* store.users.save({ ...bob, name: "Robin Moore" })
        expect(yield* searchIds(store, "noyce")).toEqual([2])
        yield* store.users.save({ ...bob, name: "Robin Moore", email: "robin@acme.test" })
        expect(yield* searchIds(store, "noyce")).toEqual([])
        expect(yield* searchIds(store, "moore")).toEqual([2])
        yield* store.users.save({ ...bob, name: "Robin Moore", email: "robin@acme.test", accountId: anAccount(2).id })
        expect(yield* searchIds(store, "moore")).toEqual([])
      })
    )

    promised("compares a word with the words of 100 users at most, in their order", ({ store }) =>
      Effect.gen(function* () {
        for (let n = 0; n <= maxTermOwners; n += 1) {
          const name = `zed${String(n).padStart(3, "0")}`
          yield* store.users.save(aUser(100 + n, { email: `u${n}@acme.test`, name }))
        }
        yield* saveAll(
          store,
          [100, 199, 200].map((owner, index) => aRecording(index + 1, { ownerId: UserId.make(owner) }))
        )
        expect(yield* searchIds(store, "zed")).toEqual([2, 1])
        expect(yield* searchIds(store, "zed100")).toEqual([3])
      })
    )

    promised("finds nothing by a text without letters and digits, and everything without a text", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(1, { title: ":) / 🎉" }))
        for (const text of ["/", ":)", "🎉", '"', "@", "%_"]) expect(yield* searchIds(store, text)).toEqual([])
        expect(yield* idsOf(store, {})).toEqual([1])
      })
    )

    promised("filters by type, platform, folder, owner and period, which must all match", ({ store }) =>
      Effect.gen(function* () {
        yield* saveAll(store, [
          aRecording(1, { type: "Sent", ownerId: ada, createdAt: instantAfter(1) }),
          aRecording(2, { helpdesk: at("freshdesk_chat", {}), folderId: vip, createdAt: instantAfter(2) }),
          aRecording(3, { helpdesk: at("freshdesk", {}), folderId: vip, ownerId: ada, createdAt: instantAfter(3) }),
          aRecording(4, { folderId: FolderId.make("v"), type: "Sent", createdAt: instantAfter(4) })
        ])
        expect(yield* idsOf(store, {})).toEqual([4, 3, 2, 1])
        expect(yield* idsOf(store, { type: "Sent" })).toEqual([4, 1])
        expect(yield* idsOf(store, { platform: "freshdesk" })).toEqual([3])
        expect(yield* idsOf(store, { folderId: vip })).toEqual([3, 2])
        expect(yield* idsOf(store, { ownerId: ada })).toEqual([3, 1])
        expect(yield* idsOf(store, { ownerId: ada, type: "Sent", ...parseSearch("recording") })).toEqual([1])
        expect(yield* idsOf(store, { since: instantAfter(2), until: instantAfter(4) })).toEqual([3, 2])
        expect(yield* idsOf(store, { since: instantAfter(2), until: instantAfter(4), type: "Received" })).toEqual([
          3, 2
        ])
        expect(yield* idsOf(store, { type: "Live" })).toEqual([])
        yield* store.recordings.leaveFolder({ accountId: acme, id: vip }, { after: null, limit: 100 })
        expect(yield* idsOf(store, { folderId: vip, type: "Received" })).toEqual([])
        expect(yield* idsOf(store, { folderId: FolderId.make("v"), type: "Sent" })).toEqual([4])
      })
    )

    promised("finds a recording by its present values, and no removed one", ({ store }) =>
      Effect.gen(function* () {
        const one = aRecording(1, { title: "Before" })
        yield* store.recordings.save(one)
        yield* store.recordings.save({ ...one, title: "After", type: "Live", createdAt: instantAfter(60_000) })
        expect(yield* searchIds(store, "before")).toEqual([])
        expect(yield* searchIds(store, "after")).toEqual([1])
        expect(yield* idsOf(store, { type: "Live", since: instantAfter(60_000) })).toEqual([1])
        yield* store.recordings.countView(one.id)
        expect((yield* searched(store, parseSearch("after"))).items).toMatchObject([{ impressionsCount: 1 }])
        yield* store.recordings.remove(one.uuid)
        expect(yield* searchIds(store, "after")).toEqual([])
        yield* store.recordings.save(one)
        expect(yield* searchIds(store, "before")).toEqual([1])
      })
    )

    promised("continues after a cursor, in every order, with and without filters", ({ store }) =>
      Effect.gen(function* () {
        const titles = ["b", "É", "a", "", "b"]
        const all = titles.map((title, index) =>
          aRecording(index + 1, {
            title,
            durationSeconds: index === 0 ? null : index % 2,
            createdAt: instantAfter(index >> 1),
            summary: "same"
          })
        )
        yield* saveAll(store, all)
        const orders = [
          ["created_at", [1, 2, 3, 4, 5]],
          ["-created_at", [5, 4, 3, 2, 1]],
          ["title", [4, 3, 1, 5, 2]],
          ["-title", [2, 5, 1, 3, 4]],
          ["duration", [1, 3, 5, 2, 4]],
          ["-duration", [4, 2, 5, 3, 1]]
        ] as const
        for (const [order, expected] of orders) {
          for (const filter of [{}, parseSearch("sam"), { type: "Received" as const, since: instantAfter(0) }]) {
            const search = { accountId: acme, order, ...filter }
            const ids: Array<number> = []
            let place: { readonly key: number | string; readonly id: number } | null = null
            for (;;) {
              const { count, items }: { count: number; items: ReadonlyArray<Recording> } =
                yield* store.recordings.search(search, place, 2)
              expect(count).toBe(5)
              ids.push(...items.map(({ id }) => id))
              const last = items.at(-1)
              if (last === undefined) break
              place = { key: orderKey(order, last), id: last.id }
            }
            expect([order, ids]).toEqual([order, expected])
          }
        }
      })
    )
  })
}
