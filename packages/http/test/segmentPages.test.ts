import type { OpenTranscript } from "@tapedeck/core"
import type { Segment } from "@tapedeck/domain"
import { Effect, Stream } from "effect"
import { expect, test } from "vitest"
import { segmentPages } from "../src/pages/segmentPages.ts"

/** The sizes of the reads of a transcript, and the segments that were given. */
const readWhole = async (segments: ReadonlyArray<Segment>) => {
  const limits: Array<number> = []
  const transcript: OpenTranscript = {
    status: "ready",
    source: "edited",
    language: null,
    segments: segments.length,
    speakerMap: {},
    read: ({ limit, offset }) => {
      limits.push(limit)
      return Effect.succeed(segments.slice(offset, offset + limit))
    }
  }
  const pages = await Effect.runPromise(Stream.runCollect(segmentPages(transcript)))
  return { limits, offsets: pages.map(({ offset }) => offset), given: pages.flatMap((page) => page.segments) }
}

const segmentsOf = (count: number, characters: number): ReadonlyArray<Segment> =>
  Array.from({ length: count }, (_, n) => ({
    startSeconds: n,
    endSeconds: n + 1,
    text: "w".repeat(characters),
    sentences: []
  }))

test("reads short segments 4, 8 and then 16 at a time, each once", async () => {
  const segments = segmentsOf(45, 512)
  const { given, limits, offsets } = await readWhole(segments)
  expect(limits).toEqual([4, 8, 16, 16, 16])
  expect(offsets).toEqual([0, 4, 12, 28, 44])
  expect(given).toEqual(segments)
})

test("reads segments of more than 8 KiB a page 4 at a time", async () => {
  const segments = segmentsOf(10, 2049)
  const { given, limits } = await readWhole(segments)
  expect(limits).toEqual([4, 4, 4])
  expect(given).toEqual(segments)
})
