import { TranscriptStatus } from "@tapedeck/domain"
import { decideTranscript, transcriptEventTo } from "@tapedeck/domain/internal/transcript"
import { Result } from "effect"
import { describe, expect, test } from "vitest"
import { auditFixtures, uuidOf, type World, webhookFixtures, worldOf } from "./world.ts"

const minutes = (...list: ReadonlyArray<number>): ReadonlyArray<number> => list.map((minute) => minute * 60_000)

/** The specification's table "Elapsed since first attempt": 0, 1 min, 6 min, 36 min, 2 h 36 min, 14 h 36 min. */
const folderStarts = minutes(0, 1, 6, 36, 156, 876)

/** The sums of the specification's delays 1, 5, 15, 30 min, 1 h, 2 h; from retry 7 on, 2 h each (A2). */
const auditStarts = minutes(0, 1, 6, 21, 51, 111, 231, 351, 471, 591, 711)

const statusOf = async (world: World) =>
  (await world.ask<{ status: string }>("bob", `/api/v2/recordings/${uuidOf(1)}/transcript`)).body.status

const scripted = (script: ReadonlyArray<object>) =>
  worldOf({ recordings: [{ uuid: uuidOf(1), user: "bob@acme.test", transcript: { script, legacy: "text" } as never }] })

/** The domain's schedules, states and arithmetic, as an integrator meets them. */
export const domain = (): void => {
  describe("retry schedules, seen from outside", () => {
    test("a folder delivery that always fails is attempted at the times of the specification's table", async () => {
      const world = await worldOf(webhookFixtures())
      await world.addToFolder("vip", uuidOf(1))
      const { fired } = await world.clock.advance({ until: "idle" })
      expect(fired.map(({ elapsed_ms }) => elapsed_ms)).toEqual(folderStarts)
      expect((await world.deliveries())[0]).toMatchObject({ state: "permanently_failed", next_attempt_at: null })
    })

    test.each([0, 1, 6, 10])(
      "an audit delivery with %i retries is attempted after the specification's delays",
      async (max_retries) => {
        const world = await worldOf(auditFixtures({ max_retries }, [500]))
        await world.ask("ada", `/api/v2/recordings/${uuidOf(1)}`, {
          method: "PATCH",
          json: { recording: { title: "New" } }
        })
        const { fired } = await world.clock.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms }) => elapsed_ms)).toEqual(auditStarts.slice(0, max_retries + 1))
      }
    )

    test("a delivery goes through the states by their names", async () => {
      const world = await worldOf(webhookFixtures({}, ["timeout", 500, 200]))
      const state = async () => {
        const [delivery] = await world.deliveries()
        return [delivery?.state, delivery?.retry ?? null]
      }
      await world.addToFolder("vip", uuidOf(1))
      const states = [await state()]
      for (const by of ["PT0S", "PT30S", "PT30S", "PT5M"]) {
        await world.clock.advance({ by })
        states.push(await state())
      }
      expect(states).toEqual([
        ["scheduled", null],
        ["attempting", null],
        ["waiting", 1],
        ["waiting", 2],
        ["delivered", null]
      ])
    })
  })

  describe("transcript statuses, seen from outside (R15)", () => {
    const moves = TranscriptStatus.literals.flatMap((from) =>
      TranscriptStatus.literals.flatMap((to) =>
        Result.isSuccess(decideTranscript(from, transcriptEventTo(to))) ? [[from, to] as const] : []
      )
    )

    test.each(moves)("from %s to %s, at the instant that the script says", async (from, to) => {
      // By the shortest way to `from`; before its first step a transcript is what that step can come from.
      const way = { processing: ["processing"], ready: ["ready"], unavailable: ["unavailable"] }[from]
      const world = await scripted([...way, to].map((status, index) => ({ at: `PT${index + 1}S`, status })))
      await world.clock.advance({ by: "PT1.999S" })
      expect(await statusOf(world)).toBe(from)
      await world.clock.advance({ by: 1 })
      expect(await statusOf(world)).toBe(to)
    })

    test("at the third read, where the script counts reads", async () => {
      const world = await scripted([{ reads: 3, status: "ready" }])
      const seen = [await statusOf(world), await statusOf(world), await statusOf(world), await statusOf(world)]
      expect(seen).toEqual(["processing", "processing", "ready", "ready"])
    })
  })

  describe("pages, seen from outside (R8, R9)", () => {
    test.each([
      [1, { from: 1, to: 3, next_page: 2 }],
      [2, { from: 4, to: 6, next_page: 3, prev_page: 1 }],
      [3, { from: 7, to: 7, prev_page: 2 }],
      [4, { from: 0, to: 0, prev_page: 3 }],
      [100, { from: 0, to: 0, prev_page: 3 }]
    ])("say where page %i of seven records is, three a page, past the end too", async (page, expected) => {
      const recordings = Array.from({ length: 7 }, (_, index) => ({ uuid: uuidOf(index + 1) }))
      const world = await worldOf({ recordings }, { page_size: 3 })
      const { body } = await world.ask<{ pagination: object }>("ada", `/api/v2/recordings?page=${page}`)
      expect(body.pagination).toEqual({ count: 7, page, items: 3, pages: 3, last_page: 3, ...expected })
    })
  })
}
