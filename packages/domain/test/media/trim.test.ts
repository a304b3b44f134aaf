import { describe, expect, test } from "vitest"
import type { CaptureLog } from "../../src/capture/index.ts"
import type { Segment } from "../../src/index.ts"
import { cutLog, cutSegments } from "../../src/internal/files.ts"

const segment = (startSeconds: number, endSeconds: number | null, text: string, sentences: Segment["sentences"] = []) =>
  ({ startSeconds, endSeconds, text, sentences }) satisfies Segment

describe("cutSegments", () => {
  test("keeps the segments that are heard in the range, by its time", () => {
    const segments = [
      segment(0, 2, "before"),
      segment(2, 5, "into"),
      segment(5, null, "until the next"),
      segment(6, 9, "out of"),
      segment(9, null, "after")
    ]
    expect(cutSegments(segments, { startSeconds: 2.5, endSeconds: 8 })).toEqual([
      segment(0, 3, "into"),
      segment(2, null, "until the next"),
      segment(3, 6, "out of")
    ])
  })

  test("a last segment without an end is heard to the end", () => {
    expect(cutSegments([segment(0, null, "all")], { startSeconds: 60, endSeconds: 70 })).toEqual([
      segment(0, null, "all")
    ])
  })

  test("sentences and words are cut and moved by their own times; what has none stays", () => {
    const sentences = [
      { text: "gone", start: 0, end: 1 },
      {
        text: "stays",
        start: 1,
        end: 3,
        words: [
          { word: "a", start: 1, end: 1.4 },
          { word: "b", start: 1.4, end: 3 }
        ]
      },
      { speaker: "0" },
      { text: "gone too", start: 4, end: 5 }
    ]
    const [cut] = cutSegments([segment(0, 5, "all", sentences)], { startSeconds: 1.5, endSeconds: 4 })
    expect(cut?.sentences).toEqual([
      { text: "stays", start: 0, end: 1.5, words: [{ word: "b", start: 0, end: 1.5 }] },
      { speaker: "0" }
    ])
  })
})

describe("cutLog", () => {
  const log = (...times: ReadonlyArray<number>): CaptureLog => ({
    header: {
      version: 1,
      started_at: "2026-01-01T10:00:00.000Z",
      page: { url: "", title: "" },
      user_agent: "",
      viewport: { width: 1, height: 1 },
      timezone: "",
      language: ""
    },
    events: times.map((t, seq) => ({ seq, t, kind: "mark", text: String(t) }))
  })
  const timesOf = ({ events }: CaptureLog) => events.map(({ t }) => t)

  test("keeps the events from the range's start until before its end, and the instants that they happened at", () => {
    const cut = cutLog(log(-1, 0, 999, 1_000, 2_999, 3_000), { startSeconds: 1, endSeconds: 3 })
    expect(timesOf(cut)).toEqual([0, 1_999])
    expect(cut.header.started_at).toBe("2026-01-01T10:00:01.000Z")
  })

  test("keeps what happened before the video if nothing is cut from its start", () => {
    expect(timesOf(cutLog(log(-5, 0, 2_000), { startSeconds: 0, endSeconds: 1 }))).toEqual([-5, 0])
  })

  test("starts at the last instant at the latest", () => {
    const { events, header } = log(0)
    const last = { header: { ...header, started_at: "9999-12-31T23:59:59.999Z" }, events }
    expect(cutLog(last, { startSeconds: 1, endSeconds: 3 }).header.started_at).toBe("9999-12-31T23:59:59.999Z")
  })
})
