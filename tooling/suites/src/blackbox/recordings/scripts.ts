import { describe, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { instantAfter, start } from "../../support/hooks.ts"
import type { Transcript } from "../../support/shapes.ts"
import { blackbox, bodyOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Scripted transcripts: by virtual time, and by the number of reads (R13, R15). */

const segments = [{ start_seconds: 0, end_seconds: 4, text: "Hello" }]
const scripted = (script: ReadonlyArray<unknown>) =>
  acme({ recordings: [{ uuid: uuid(1), user: "bob@acme.test", transcript: { script, language: "en", segments } }] })

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Scripted transcripts", () => {
    const read = async (world: World, token = ada) =>
      bodyOf<Transcript>(await world.fetch(`/api/v2/recordings/${uuid(1)}/transcript`, { token }))
    const status = async (world: World) => (await read(world)).status

    test("a step at PT0S is reached at once and others as the clock moves, each an event of kind transcript", async () => {
      const world = await emulator.start(
        scripted([
          { at: "PT0S", status: "processing" },
          { at: "PT30S", status: "ready" },
          { at: 60_000, status: "processing" },
          { at: "PT2M", status: "unavailable" }
        ])
      )
      expect(await read(world)).toMatchObject({ status: "processing", language: null, segments: [] })
      expect((await world.clock()).pending.map(({ at, status }) => [at, status])).toEqual([
        [instantAfter(start, 30_000), "ready"],
        [instantAfter(start, 60_000), "processing"],
        [instantAfter(start, 120_000), "unavailable"]
      ])
      await world.advance({ by: 29_999 })
      expect(await status(world)).toBe("processing")
      const moved = await world.advance({ by: 1 })
      expect(moved.fired).toEqual([
        { at: instantAfter(start, 30_000), kind: "transcript", id: uuid(1), status: "ready" }
      ])
      expect(await read(world)).toMatchObject({ status: "ready", language: "en", segments })
      await world.advance({ next: true })
      expect(await read(world)).toMatchObject({ status: "processing", segments: [] })
      expect((await world.advance({ until: "idle" })).now).toBe(instantAfter(start, 120_000))
      expect(await read(world)).toMatchObject({ status: "unavailable", segments: [] })
    })

    test("before its first step the status is unavailable if that step is processing, else processing", async () => {
      const asked = await emulator.start(scripted([{ at: "PT10S", status: "processing" }]))
      expect(await status(asked)).toBe("unavailable")
      for (const last of ["ready", "unavailable"]) {
        const running = await emulator.start(scripted([{ at: "PT10S", status: last }]))
        expect(await status(running)).toBe("processing")
        await running.advance({ by: "PT10S" })
        expect(await status(running)).toBe(last)
      }
    })

    test("{reads: 3} is reached at the third read, which shows it", async () => {
      const world = await emulator.start(
        scripted([
          { at: "PT0S", status: "processing" },
          { reads: 3, status: "ready" }
        ])
      )
      expect([await status(world), await status(world), await status(world), await status(world)]).toEqual([
        "processing",
        "processing",
        "ready",
        "ready"
      ])
      expect((await world.clock()).pending).toEqual([])
    })

    test("a refused read does not count as a read of the transcript", async () => {
      const world = await emulator.start(
        scripted([
          { at: "PT0S", status: "processing" },
          { reads: 2, status: "ready" }
        ])
      )
      const path = `/api/v2/recordings/${uuid(1)}/transcript`
      await world.fetch(path)
      await world.fetch(path, { token: "unknown" })
      await world.fetch(`${path}?page=0`, { token: ada })
      expect([await status(world), (await read(world, bob)).status]).toEqual(["processing", "ready"])
    })

    test("times of later fixtures count from their loading", async () => {
      const world = await emulator.start(acme({}))
      await world.advance({ by: "PT1H" })
      const script = [
        { at: "PT0S", status: "processing" },
        { at: "PT30S", status: "ready" }
      ]
      bodyOf(await world.post("/fixtures", { recordings: [{ uuid: uuid(1), transcript: { script, segments } }] }), 201)
      expect((await world.clock()).pending).toMatchObject([{ at: "2026-01-01T01:00:30.000Z", kind: "transcript" }])
    })

    describe("sources under a script (R14)", () => {
      const said = (text: string) => [{ start_seconds: 1, end_seconds: 2, text, sentences: [] }]
      const asked = [
        { at: "PT0S", status: "processing" },
        { at: "PT10S", status: "ready" },
        { at: "PT20S", status: "processing" },
        { at: "PT30S", status: "ready" }
      ]

      test.each([
        ["edited", { edited: said("e"), processed: said("p"), legacy: "l" }, said("e")],
        ["processed", { processed: said("p"), legacy: "l" }, said("p")],
        ["segments", { segments: said("s"), legacy: "l" }, said("s")],
        ["legacy", { legacy: "l" }, [{ start_seconds: 0, end_seconds: null, text: "l", sentences: [] }]]
      ])(
        "%s is shown when the transcript is ready, and again after it is made again",
        async (source, transcript, expected) => {
          const world = await emulator.start(
            acme({ recordings: [{ uuid: uuid(1), transcript: { script: asked, ...transcript } }] })
          )
          const seen = []
          for (let n = 0; n < 4; n += 1) {
            const { status, segments } = await read(world)
            seen.push([status, segments])
            await world.advance({ next: true })
          }
          expect(seen).toEqual([
            ["processing", []],
            ["ready", expected],
            // Edits go on being shown while it is made again (R15).
            source === "edited" ? ["ready", expected] : ["processing", []],
            ["ready", expected]
          ])
        }
      )
    })

    describe("by reads", () => {
      const reading = (script: ReadonlyArray<unknown>) => emulator.start(scripted(script))

      test("{reads: 1} is reached at the first read, which shows it", async () => {
        const world = await reading([{ reads: 1, status: "ready" }])
        expect(await status(world)).toBe("ready")
      })

      test("several steps are reached by the number of reads since loading", async () => {
        const world = await reading([
          { at: "PT0S", status: "processing" },
          { reads: 2, status: "ready" },
          { reads: 4, status: "processing" },
          { reads: 5, status: "unavailable" }
        ])
        const seen = []
        for (let n = 0; n < 6; n += 1) seen.push(await status(world))
        expect(seen).toEqual(["processing", "ready", "ready", "processing", "unavailable", "unavailable"])
      })

      test("each read of a page counts, and other endpoints do not", async () => {
        const world = await reading([
          { at: "PT0S", status: "processing" },
          { reads: 3, status: "ready" }
        ])
        const path = `/api/v2/recordings/${uuid(1)}`
        bodyOf(await world.fetch(`${path}/transcript?page=2`, { token: ada }))
        bodyOf(await world.fetch(path, { token: ada }))
        await world.fetch(`${path}/download`, { token: ada })
        await world.fetch(`/r/${uuid(1)}`)
        expect([await status(world), await status(world)]).toEqual(["processing", "ready"])
      })

      test("such steps are not reached by time and are not pending", async () => {
        const world = await reading([
          { at: "PT0S", status: "processing" },
          { reads: 2, status: "ready" }
        ])
        expect(await world.advance({ by: "P30D" })).toMatchObject({ fired: [], next: null })
        expect([await status(world), await status(world)]).toEqual(["processing", "ready"])
      })

      test("each recording counts its own reads", async () => {
        const script = [
          { at: "PT0S", status: "processing" },
          { reads: 2, status: "ready" }
        ]
        const recordings = [1, 2].map((n) => ({ uuid: uuid(n), transcript: { script } }))
        const world = await emulator.start(acme({ recordings }))
        await status(world)
        const other = await world.fetch(`/api/v2/recordings/${uuid(2)}/transcript`, { token: ada })
        expect([bodyOf<Transcript>(other).status, await status(world)]).toEqual(["processing", "ready"])
      })
    })

    describe("R15: a script with an impossible transition is refused", () => {
      test.each([
        [["ready", "unavailable"], 1],
        [["processing", "unavailable", "ready"], 2],
        [["processing", "ready", "processing", "ready", "unavailable"], 4]
      ])("the script %j is refused at its step", async (statuses, step) => {
        const script = statuses.map((each, index) => ({ at: index * 1_000, status: each }))
        const paths = refusalOf(await emulator.create(scripted(script))).errors.map(({ path }) => path)
        expect(
          paths.every((path) => path.startsWith(`recordings[0].transcript.script[${step}]`)),
          String(paths)
        ).toBe(true)
      })
    })
  })
