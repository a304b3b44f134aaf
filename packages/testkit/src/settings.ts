import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aDelivery, aDestination, aFolder, anAccount, anAutomation, instantAfter } from "./samples.ts"

const acme = anAccount(1).id
const other = anAccount(2).id

/** Registers the tests of folders, automations and audit destinations. */
export const settings = (promised: Promised): void => {
  describe("folders", () => {
    promised("are found by id, and listed by account in order of creation", ({ store }) =>
      Effect.gen(function* () {
        const folders = [aFolder("z", { createdAt: instantAfter(9) }), aFolder("a", { name: "Ä 🎥" }), aFolder("m")]
        yield* Effect.forEach(folders, store.folders.save)
        yield* store.folders.save(aFolder("theirs", { accountId: other }))
        expect(yield* store.folders.list(acme)).toEqual(folders)
        expect((yield* store.folders.list(other)).map(({ id }) => String(id))).toEqual(["theirs"])
        expect(yield* store.folders.byId(aFolder("a").id)).toEqual(folders[1])
        expect(yield* store.folders.byId(aFolder("A").id)).toBeUndefined()
      })
    )

    promised("keep their position when they change", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach([aFolder("z"), aFolder("a")], store.folders.save)
        yield* store.folders.save(aFolder("z", { name: "Renamed" }))
        expect(yield* store.folders.list(acme)).toEqual([aFolder("z", { name: "Renamed" }), aFolder("a")])
      })
    )
  })

  describe("a removed receiver or folder", () => {
    promised("does not exist any more, and the others keep their order", ({ store }) =>
      Effect.gen(function* () {
        for (const id of ["z", "m", "a"]) {
          yield* store.folders.save(aFolder(id))
          yield* store.automations.save(anAutomation(id))
          yield* store.destinations.save(aDestination(id))
        }
        for (const id of ["m", "never there"]) {
          yield* store.folders.remove(aFolder(id).id)
          yield* store.automations.remove(anAutomation(id).id)
          yield* store.destinations.remove(aDestination(id).id)
        }
        expect(yield* store.folders.byId(aFolder("m").id)).toBeUndefined()
        expect(yield* store.automations.byId(anAutomation("m").id)).toBeUndefined()
        expect(yield* store.destinations.byId(aDestination("m").id)).toBeUndefined()
        expect(yield* store.folders.list(acme)).toEqual([aFolder("z"), aFolder("a")])
        expect(yield* store.automations.ofAccount(acme)).toEqual([anAutomation("z"), anAutomation("a")])
        expect(yield* store.automations.ofFolder(anAutomation("z").folderId)).toHaveLength(2)
        expect(yield* store.destinations.ofAccount(acme)).toEqual([aDestination("z"), aDestination("a")])
      })
    )

    promised("keeps its deliveries", ({ store }) =>
      Effect.gen(function* () {
        const [automation, destination] = [anAutomation("a"), aDestination("d")]
        yield* store.automations.save(automation)
        yield* store.destinations.save(destination)
        yield* store.deliveries.insert(aDelivery("one", { automationId: automation.id }))
        yield* store.deliveries.insert(aDelivery("two", { automationId: null, destinationId: destination.id }))
        yield* store.automations.remove(automation.id)
        yield* store.destinations.remove(destination.id)
        expect(yield* store.deliveries.list({})).toHaveLength(2)
        expect(yield* store.deliveries.list({ automationId: automation.id })).toHaveLength(1)
      })
    )
  })

  describe("automations", () => {
    promised("are read as they were saved", ({ store }) =>
      Effect.gen(function* () {
        const automation = anAutomation("a1", {
          method: "DELETE",
          payloadTemplate: '{"t": "{{recording.title}}"}',
          secret: "whsec_AA==",
          enabled: false
        })
        yield* store.automations.save(automation)
        expect(yield* store.automations.byId(automation.id)).toEqual(automation)
        expect(yield* store.automations.byId(anAutomation("a2").id)).toBeUndefined()
      })
    )

    promised("are listed by folder in order of creation, enabled or not", ({ store }) =>
      Effect.gen(function* () {
        const automations = [anAutomation("z"), anAutomation("a", { enabled: false }), anAutomation("m")]
        yield* Effect.forEach(automations, store.automations.save)
        yield* store.automations.save(anAutomation("elsewhere", { folderId: aFolder("elsewhere").id }))
        yield* store.automations.save(anAutomation("z", { enabled: false }))
        const listed = yield* store.automations.ofFolder(anAutomation("z").folderId)
        expect(listed).toEqual([anAutomation("z", { enabled: false }), ...automations.slice(1)])
        expect(yield* store.automations.ofFolder(aFolder("empty").id)).toEqual([])
        expect((yield* store.automations.ofAccount(acme)).map(({ id }) => String(id))).toEqual([
          "z",
          "a",
          "m",
          "elsewhere"
        ])
        expect(yield* store.automations.ofAccount(other)).toEqual([])
      })
    )
  })

  describe("audit destinations", () => {
    promised("are read as they were saved, and are listed by account in order of creation", ({ store }) =>
      Effect.gen(function* () {
        const destinations = [
          aDestination("z", {
            secret: "ünï",
            description: "",
            headers: { "X-A": "b" },
            maxRetries: 0,
            timeoutMs: 1_000
          }),
          aDestination("a", { enabled: false, signature: "base64", maxRetries: 10, timeoutMs: 300_000 }),
          aDestination("m", { filters: { categories: [], eventTypes: ["user.login"], severities: [] } })
        ]
        yield* Effect.forEach(destinations, store.destinations.save)
        yield* store.destinations.save(aDestination("theirs", { accountId: other }))
        yield* store.destinations.save(destinations[0]!)
        expect(yield* store.destinations.ofAccount(acme)).toEqual(destinations)
        expect(yield* store.destinations.byId(destinations[1]!.id)).toEqual(destinations[1])
        expect(yield* store.destinations.byId(aDestination("x").id)).toBeUndefined()
        expect(yield* store.destinations.ofAccount(anAccount(3).id)).toEqual([])
      })
    )
  })
}
