import { beforeEach, describe, expect, test } from "vitest"
import { uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { hooked, instantAfter, recording, start } from "../../support/hooks.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Putting recordings into folders, and the deliveries that come of it. */

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Folders and deliveries", () => {
    let world: World
    const automations = [
      { id: "a1", folder: "f1", url: "sink:crm" },
      { id: "a2", folder: "f1", url: "sink:crm" },
      { id: "off", folder: "f1", url: "sink:crm", enabled: false },
      { id: "b1", folder: "f2", url: "sink:crm" }
    ]
    const recordings = [1, 2, 3].map((n) => ({ ...recording, uuid: uuid(n), ...(n === 3 ? { folder: "f1" } : {}) }))
    beforeEach(async () => {
      world = await emulator.start(hooked([500, 200], {}, { automations, recordings }))
    })
    const add = (folder: string, recording: string) => world.post(`/folders/${folder}/recordings`, { recording })

    test("adding a recording is 201 {deliveries: [id]}, one for each enabled automation of that folder", async () => {
      const answer = await add("f1", uuid(1))
      const body = bodyOf<{ deliveries: ReadonlyArray<string> }>(answer, 201)
      expect(keysOf(body)).toEqual(["deliveries"])
      const deliveries = await world.deliveries()
      expect(deliveries.map(({ id, automation }) => [id, automation])).toEqual(
        body.deliveries.map((id, index) => [id, ["a1", "a2"][index]])
      )
      expect(new Set(body.deliveries).size).toBe(2)
    })

    test("W13: adding a recording to its present folder is 200 {deliveries: []}, and fires nothing", async () => {
      await world.addToFolder("f1", uuid(1))
      expect(bodyOf(await add("f1", uuid(1)), 200)).toEqual({ deliveries: [] })
      expect(await world.deliveries()).toHaveLength(2)
    })

    test("a start document's `folder` fires nothing, and the recording is in that folder", async () => {
      expect(await world.deliveries()).toEqual([])
      expect((await world.clock()).pending).toEqual([])
      expect(bodyOf(await add("f1", uuid(3)), 200)).toEqual({ deliveries: [] })
    })

    test("W13: adding a recording to another folder moves it and fires, and so does moving it back", async () => {
      expect(await world.addToFolder("f2", uuid(3))).toHaveLength(1)
      expect(await world.addToFolder("f1", uuid(3))).toHaveLength(2)
      expect(await world.addToFolder("f2", uuid(3))).toHaveLength(1)
      expect((await world.deliveries()).map(({ automation }) => automation)).toEqual(["b1", "a1", "a2", "b1"])
    })

    test("an automation fires for every added recording", async () => {
      await world.addToFolder("f1", uuid(1))
      await world.addToFolder("f1", uuid(2))
      expect((await world.deliveries()).map((delivery) => delivery.recording)).toEqual([
        uuid(1),
        uuid(1),
        uuid(2),
        uuid(2)
      ])
    })

    test("adding to a folder without automations is 201 with no deliveries", async () => {
      const plain = await emulator.start(hooked([200], {}, { automations: [] }))
      expect(await plain.addToFolder("f1", uuid(1))).toEqual([])
      expect(bodyOf(await plain.post("/folders/f1/recordings", { recording: uuid(1) }), 200)).toEqual({
        deliveries: []
      })
    })

    test("R5: the UUID may be in upper case", async () => {
      const upper = await emulator.start(
        hooked([200], {}, { recordings: [{ ...recording, uuid: "ABCDEF01-0000-4000-8000-00000000ABCD" }] })
      )
      await upper.addToFolder("f1", "ABCDEF01-0000-4000-8000-00000000ABCD")
      const [delivery] = await upper.deliveries()
      expect(delivery?.recording).toBe("abcdef01-0000-4000-8000-00000000abcd")
    })

    test("an unknown folder or recording is 404", async () => {
      bodyOf(await add("nope", uuid(1)), 404)
      bodyOf(await add("f1", uuid(99)), 404)
      expect(await world.deliveries()).toEqual([])
    })

    test("another account's recording is 404", async () => {
      const apart = await emulator.start(hooked([200], {}, { recordings: [{ uuid: uuid(1), account: 3 }] }))
      bodyOf(await apart.post("/folders/f1/recordings", { recording: uuid(1) }), 404)
    })

    test.each([
      ["recording", {}],
      ["recording", { recording: 5 }],
      ["recording", { recording: null }],
      ["folder", { recording: uuid(1), folder: "f2" }]
    ])("an invalid body is 400 and names %s", async (path, json) => {
      const { errors } = refusalOf(await world.post("/folders/f1/recordings", json))
      expect(errors.map((error) => error.path)).toEqual([path])
      expect(await world.deliveries()).toEqual([])
    })

    describe("GET {c}/deliveries", () => {
      beforeEach(async () => {
        await world.addToFolder("f1", uuid(1))
        await world.addToFolder("f2", uuid(2))
        await world.advance({ next: true })
        await world.addToFolder("f2", uuid(1))
      })
      const seen = async (query: string) => (await world.deliveries(query)).map((each) => [each.automation, each.state])

      test("lists deliveries in the order of creation, each with its state", async () => {
        expect(await seen("")).toEqual([
          ["a1", "waiting"],
          ["a2", "delivered"],
          ["b1", "delivered"],
          ["b1", "scheduled"]
        ])
      })

      test.each([
        ["?state=waiting", ["a1"]],
        ["?state=delivered", ["a2", "b1"]],
        ["?state=scheduled", ["b1"]],
        ["?state=cancelled", []],
        ["?automation=b1", ["b1", "b1"]],
        ["?automation=none", []],
        [`?recording=${uuid(1)}`, ["a1", "a2", "b1"]],
        [`?recording=${uuid(2)}&state=delivered`, ["b1"]],
        ["?destination=any", []]
      ])("%s filters the list", async (query, expected) => {
        expect((await seen(query)).map(([automation]) => automation)).toEqual(expected)
      })

      test("is 400 for an unknown state", async () => {
        expect(refusalOf(await world.control("/deliveries?state=lost")).errors[0]?.path).toBe("state")
      })

      test("has next_attempt_at with the time of the next attempt", async () => {
        const due = (await world.deliveries()).map((each) => each.next_attempt_at)
        expect(due).toEqual([instantAfter(start, 60_000), null, null, start])
      })
    })
  })
