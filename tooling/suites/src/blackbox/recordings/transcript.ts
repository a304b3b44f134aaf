import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, cyd, uuid } from "../../support/acme.ts"
import type { Transcript } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** GET /recordings/{uuid}/transcript: sources, status and pages. Scripts that need a clock are in `scripts.ts`. */

const said = (text: string) => [{ start_seconds: 0, end_seconds: 4, text }]
const onePage = { page: 1, items: 100, pages: 1, last_page: 1 }
const nothing = { count: 0, ...onePage, from: 0, to: 0 }
const single = { count: 1, ...onePage, from: 1, to: 1 }

const sentences = [{ text: "Hello.", start: 0.5, end: 1.25, speaker: 0, words: [{ word: "Hello", confidence: 0.9 }] }]

const document = acme({
  recordings: [
    {
      uuid: uuid(1),
      user: "bob@acme.test",
      transcript: {
        language: "de-CH",
        speaker_map: { "0": "Kim", "1": "Bob" },
        segments: [
          { start_seconds: 0, end_seconds: 4, text: "Hello", sentences },
          { start_seconds: 4, end_seconds: null, text: "Bye" }
        ]
      }
    },
    { uuid: uuid(2) },
    { uuid: uuid(3), transcript: { edited: said("edited"), processed: said("processed"), legacy: "legacy" } },
    { uuid: uuid(4), transcript: { processed: said("processed"), legacy: "legacy" } },
    { uuid: uuid(5), transcript: { legacy: "All that was said, long ago" } },
    {
      uuid: uuid(6),
      transcript: { script: [{ at: "PT0S", status: "processing" }], language: "en", segments: said("not yet") }
    },
    {
      uuid: uuid(7),
      transcript: {
        segments: Array.from({ length: 250 }, (_, n) => ({ start_seconds: n, end_seconds: n + 1, text: `s${n}` }))
      }
    },
    { uuid: uuid(8), recording_type: "Live", transcript: { segments: said("live") } },
    { uuid: uuid(9), transcript: { segments: said("segments are processed"), legacy: "legacy" } }
  ]
})

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "API v2: transcript", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)
    const get = (n: number, query = "", token = ada) =>
      running.fetch(`/api/v2/recordings/${uuid(n)}/transcript${query}`, { token })
    const read = async (n: number, query = "") => bodyOf<Transcript>(await get(n, query))

    test("RecordingTranscript and TranscriptSegment have every field", async () => {
      expect(await read(1)).toEqual({
        recording_uuid: uuid(1),
        status: "ready",
        language: "de-CH",
        speaker_map: { "0": "Kim", "1": "Bob" },
        pagination: { count: 2, ...onePage, from: 1, to: 2 },
        segments: [
          { start_seconds: 0, end_seconds: 4, text: "Hello", sentences },
          { start_seconds: 4, end_seconds: null, text: "Bye", sentences: [] }
        ]
      })
    })

    test("R13: the transcript of a recording without one is 200, unavailable, without segments", async () => {
      const none = await read(2)
      expect(keysOf(none).filter((key) => key !== "language")).toEqual([
        "pagination",
        "recording_uuid",
        "segments",
        "speaker_map",
        "status"
      ])
      expect(none).toMatchObject({ recording_uuid: uuid(2), status: "unavailable", speaker_map: {}, segments: [] })
      expect(none.language ?? null).toBeNull()
      expect(none.pagination).toEqual(nothing)
    })

    test("R13: while processing there are no segments, and language is null", async () => {
      const processing = await read(6)
      expect(processing).toMatchObject({ status: "processing", language: null, segments: [] })
      expect(processing.pagination).toEqual(nothing)
    })

    test.each([
      [3, "edited rows take precedence", "edited"],
      [4, "else processed rows", "processed"],
      [9, "`segments` are processed rows", "segments are processed"],
      [8, "live recordings have transcripts too", "live"]
    ])("R14: the segments of recording %i follow this rule: %s", async (n, _, text) => {
      const { status, segments, pagination } = await read(n)
      expect({ status, segments, pagination }).toEqual({
        status: "ready",
        segments: [{ start_seconds: 0, end_seconds: 4, text, sentences: [] }],
        pagination: single
      })
    })

    test("R14, R23: a legacy text alone is ready, as one segment", async () => {
      expect(await read(5)).toMatchObject({
        status: "ready",
        speaker_map: {},
        segments: [{ start_seconds: 0, end_seconds: null, text: "All that was said, long ago", sentences: [] }],
        pagination: single
      })
    })

    describe("pages", () => {
      test("R6: a page has 100 segments", async () => {
        const pages = [await read(7), await read(7, "?page=2"), await read(7, "?page=3")]
        expect(pages.flatMap(({ segments }) => segments.map(({ text }) => text))).toEqual(
          Array.from({ length: 250 }, (_, n) => `s${n}`)
        )
        const common = { count: 250, items: 100, pages: 3, last_page: 3 }
        expect(pages.map(({ pagination }) => pagination)).toEqual([
          { ...common, page: 1, next_page: 2, from: 1, to: 100 },
          { ...common, page: 2, next_page: 3, prev_page: 1, from: 101, to: 200 },
          { ...common, page: 3, prev_page: 2, from: 201, to: 250 }
        ])
      })

      test("R9: a page past the end is 200 without segments", async () => {
        const past = await read(7, "?page=4")
        expect(past.segments).toEqual([])
        expect(past).toMatchObject({ status: "ready", pagination: { page: 4, prev_page: 3, from: 0, to: 0 } })
        expect((await read(2, "?page=2")).pagination).toEqual({ ...nothing, page: 2, prev_page: 1 })
      })

      test.each(["0", "-1", "x", "1.5", ""])("R9: page=%s is 400", async (value) => {
        refusalV2(await get(7, `?page=${value}`), 400)
      })
    })

    test("an unknown recording, another user's (R4) and an invalid UUID (R5) are 404", async () => {
      refusalV2(await get(99), 404)
      refusalV2(await get(1, "", cyd), 404)
      refusalV2(await running.fetch("/api/v2/recordings/nonsense/transcript", { token: ada }), 404)
      bodyOf(await get(1, "", bob))
    })
  })
