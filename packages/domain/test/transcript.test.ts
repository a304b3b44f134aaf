import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  decideTranscript,
  initialTranscriptStatus,
  readTranscript,
  type Segment,
  segmentsOf,
  type Transcript,
  TranscriptEvent,
  TranscriptStatus,
  transcriptEventTo
} from "../src/index.ts"

const statuses = TranscriptStatus.literals
const segment = (text: string): Segment => ({ startSeconds: 1, endSeconds: 2, text, sentences: [{ speaker: 0 }] })

const transcript = (known: Partial<Transcript> = {}): Transcript => ({
  status: "ready",
  language: "en",
  speakerMap: { "0": "Ada" },
  edited: null,
  processed: null,
  legacyText: null,
  ...known
})

describe("a transcript moves (R15)", () => {
  it.each([
    ["processing", "Completed", "ready"],
    ["processing", "Failed", "unavailable"],
    ["ready", "Requested", "processing"],
    ["unavailable", "Requested", "processing"]
  ] as const)("from %s on %s to %s", (status, event, next) => {
    expect(decideTranscript(status, event)).toEqual(Result.succeed(next))
    expect(transcriptEventTo(next)).toBe(event)
  })

  it.each([
    ["processing", "Requested"],
    ["ready", "Completed"],
    ["ready", "Failed"],
    ["unavailable", "Completed"],
    ["unavailable", "Failed"]
  ] as const)("not from %s on %s", (status, event) => {
    const refusal = Result.getOrThrow(Result.flip(decideTranscript(status, event)))
    expect(refusal).toMatchObject({ _tag: "ImpossibleTranscriptMove", status, event })
    expect(refusal.message).toBe(`A transcript that is ${status} cannot move on ${event}`)
  })

  it("never to a status that the specification does not know", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...statuses),
        fc.array(fc.constantFrom(...TranscriptEvent.literals)),
        (start, events) => {
          const last = events.reduce(
            (status, event) => Result.getOrElse(decideTranscript(status, event), () => status),
            start
          )
          expect(statuses).toContain(last)
        }
      )
    )
  })
})

describe("a reader of a transcript", () => {
  const everything = transcript({ edited: [segment("e")], processed: [segment("p")], legacyText: "l" })

  it("gets the edited segments, else the processed, else the legacy text as one segment (R14)", () => {
    expect(segmentsOf(everything)).toEqual([segment("e")])
    expect(segmentsOf({ ...everything, edited: null })).toEqual([segment("p")])
    expect(segmentsOf({ ...everything, edited: null, processed: null })).toEqual([
      { startSeconds: 0, endSeconds: null, text: "l", sentences: [] }
    ])
  })

  it("gets the next source where one has no rows", () => {
    expect(segmentsOf({ ...everything, edited: [] })).toEqual([segment("p")])
    expect(segmentsOf({ ...everything, edited: [], processed: [] })).toMatchObject([{ text: "l" }])
    expect(segmentsOf(transcript({ legacyText: "" }))).toEqual([])
  })

  it.each(["processing", "unavailable"] as const)("gets no segments and no language while it is %s (R13)", (status) => {
    expect(readTranscript({ ...everything, status })).toEqual({ status, language: null, speakerMap: {}, segments: [] })
  })

  it("gets unavailable where there is no transcript (R13)", () => {
    expect(readTranscript(null)).toEqual({ status: "unavailable", language: null, speakerMap: {}, segments: [] })
  })

  it("gets no speakers of a legacy text (R23), and those of segments", () => {
    expect(readTranscript(transcript({ legacyText: "l" }))).toMatchObject({ status: "ready", speakerMap: {} })
    expect(readTranscript(everything)).toMatchObject({ language: "en", speakerMap: { "0": "Ada" } })
  })

  it("finds a transcript ready that came with any text (R23)", () => {
    expect(initialTranscriptStatus(transcript({ legacyText: "l" }))).toBe("ready")
    expect(initialTranscriptStatus(transcript({ processed: [segment("p")] }))).toBe("ready")
    expect(initialTranscriptStatus(transcript({ processed: [] }))).toBe("unavailable")
    expect(initialTranscriptStatus(transcript())).toBe("unavailable")
  })
})
