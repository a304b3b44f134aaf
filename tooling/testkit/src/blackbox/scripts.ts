import { describe, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../support/emulator.ts"
import { after, start } from "../support/hooks.ts"
import type { Transcript } from "../support/shapes.ts"
import { blackbox, bodyOf } from "../support/target.ts"

/** Scripted transcripts: by virtual time, and by the number of reads (R13, R15). */

const segments = [{ start_seconds: 0, end_seconds: 4, text: "Hello" }]
const scripted = (script: ReadonlyArray<unknown>) =>
  acme({ recordings: [{ uuid: uuid(1), user: "bob@acme.test", transcript: { script, language: "en", segments } }] })

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Scripted transcripts", () => {
    const read = async (world: World, token = ada) =>
      bodyOf<Transcript>(await world.fetch(`/api/v2/recordings/${uuid(1)}/transcript`, { token }))
    const status = async (world: World) => (await read(world)).status

    test("PT0S is at once, the rest as the clock moves; each is an event of kind transcript", async () => {
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
        [after(start, 30_000), "ready"],
        [after(start, 60_000), "processing"],
        [after(start, 120_000), "unavailable"]
      ])
      await world.advance({ by: 29_999 })
      expect(await status(world)).toBe("processing")
      const moved = await world.advance({ by: 1 })
      expect(moved.fired).toEqual([{ at: after(start, 30_000), kind: "transcript", id: uuid(1), status: "ready" }])
      expect(await read(world)).toMatchObject({ status: "ready", language: "en", segments })
      await world.advance({ next: true })
      expect(await read(world)).toMatchObject({ status: "processing", segments: [] })
      expect((await world.advance({ until: "idle" })).now).toBe(after(start, 120_000))
      expect(await read(world)).toMatchObject({ status: "unavailable", segments: [] })
    })

    test("before its first step it is unavailable if that step is processing, else processing", async () => {
      const asked = await emulator.start(scripted([{ at: "PT10S", status: "processing" }]))
      expect(await status(asked)).toBe("unavailable")
      for (const last of ["ready", "unavailable"]) {
        const running = await emulator.start(scripted([{ at: "PT10S", status: last }]))
        expect(await status(running)).toBe("processing")
        await running.advance({ by: "PT10S" })
        expect(await status(running)).toBe(last)
      }
    })

    test("{reads: 3}: the third read is the first that shows it", async () => {
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

    test("a read that is refused is none", async () => {
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

    test("from when it is loaded: fixtures that come later count from then", async () => {
      const world = await emulator.start(acme({}))
      await world.advance({ by: "PT1H" })
      const script = [
        { at: "PT0S", status: "processing" },
        { at: "PT30S", status: "ready" }
      ]
      bodyOf(await world.post("/fixtures", { recordings: [{ uuid: uuid(1), transcript: { script, segments } }] }), 201)
      expect((await world.clock()).pending).toMatchObject([{ at: "2026-01-01T01:00:30.000Z", kind: "transcript" }])
    })

    describe("R15: a script that makes an impossible move is refused", () => {
      test.each([
        [["ready", "unavailable"], 1],
        [["processing", "unavailable", "ready"], 2],
        [["processing", "ready", "processing", "ready", "unavailable"], 4]
      ])("%j", async (statuses, step) => {
        const script = statuses.map((each, index) => ({ at: index * 1_000, status: each }))
        const paths = refusalOf(await emulator.create(scripted(script))).errors.map(({ path }) => path)
        expect(
          paths.every((path) => path.startsWith(`recordings[0].transcript.script[${step}]`)),
          String(paths)
        ).toBe(true)
      })
    })
  })
