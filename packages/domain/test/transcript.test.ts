import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Segment, type Transcript, TranscriptStatus, type WholeRecording } from "../src/index.ts"
import { noParts, putTogether, takenApart } from "../src/internal/recordings.ts"
import {
  decideTranscript,
  initialTranscriptStatus,
  legacySegment,
  noTranscript,
  settledTranscript,
  shownTranscript,
  sourcesOf,
  TranscriptEvent,
  transcriptEventTo,
  withRecognized,
  withStatus
} from "../src/internal/transcript.ts"
import { aRecording } from "./examples.ts"

const statuses = TranscriptStatus.literals
const segment = (text: string): Segment => ({ startSeconds: 1, endSeconds: 2, text, sentences: [{ speaker: 0 }] })

const transcript = (known: Partial<Transcript> = {}): Transcript => ({
  status: "ready",
  language: "en",
  edited: 0,
  processed: 0,
  legacy: false,
  ...known
})

describe("transitions of a transcript (R15)", () => {
  it.each([
    ["processing", "Completed", "ready"],
    ["processing", "Failed", "unavailable"],
    ["ready", "Requested", "processing"],
    ["unavailable", "Requested", "processing"]
  ] as const)("change %s on %s to %s", (status, event, next) => {
    expect(decideTranscript(status, event)).toEqual(Result.succeed(next))
    expect(transcriptEventTo(next)).toBe(event)
  })

  it.each([
    ["processing", "Requested"],
    ["ready", "Completed"],
    ["ready", "Failed"],
    ["unavailable", "Completed"],
    ["unavailable", "Failed"]
  ] as const)("refuse %s on %s", (status, event) => {
    const refusal = Result.getOrThrow(Result.flip(decideTranscript(status, event)))
    expect(refusal).toMatchObject({ _tag: "ImpossibleTranscriptMove", status, event })
    expect(refusal.message).toBe(`A transcript that is ${status} cannot move on ${event}`)
  })

  it("lead to specified statuses only", () => {
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
  const everything = transcript({ edited: 1, processed: 2, legacy: true })

  it("gets the edited segments, else the processed, else the legacy text as one segment (R14)", () => {
    expect(shownTranscript(everything)).toMatchObject({ source: "edited", segments: 1 })
    expect(shownTranscript({ ...everything, edited: 0 })).toMatchObject({ source: "processed", segments: 2 })
    expect(shownTranscript({ ...everything, edited: 0, processed: 0 })).toMatchObject({ source: "legacy", segments: 1 })
    expect(shownTranscript(transcript())).toMatchObject({ status: "ready", source: null, segments: 0 })
    expect(legacySegment("l")).toEqual({ startSeconds: 0, endSeconds: null, text: "l", sentences: [] })
  })

  it.each([
    ["processing", 0],
    ["unavailable", 0],
    ["unavailable", 1],
    ["processing", 1]
  ] as const)("gets no segments and no language while it is %s, with %i edited segments (R13)", (status, edited) => {
    const shown = { status, language: null, source: null, segments: 0 }
    expect(shownTranscript({ ...everything, edited, status })).toEqual(shown)
  })

  it("continues to get the edited segments, as ready, while the transcript is made again (R15)", () => {
    const edited = transcript({ edited: 3, processed: 2 })
    const again = withStatus(edited, "processing")
    expect(shownTranscript(again)).toEqual({ status: "ready", language: "en", source: "edited", segments: 3 })
    expect(withStatus(again, "ready")).toEqual(edited)
    expect(settledTranscript(again)).toEqual(edited)
    // Without edits, and for the first time, there is nothing to go on with.
    expect(shownTranscript(withStatus(transcript({ processed: 2 }), "processing")).status).toBe("processing")
    const first = withStatus(transcript({ status: "unavailable", edited: 3 }), "processing")
    expect(shownTranscript(first)).toMatchObject({ status: "processing", segments: 0 })
  })

  it("gets unavailable if there is no transcript (R13)", () => {
    expect(shownTranscript(null)).toEqual({ status: "unavailable", language: null, source: null, segments: 0 })
  })

  it("gets ready for a transcript that was created with any text (R23)", () => {
    const texts = { edited: [], processed: [], legacyText: null }
    const statusOf = (known: Parameters<typeof sourcesOf>[0]) =>
      initialTranscriptStatus({ ...noTranscript, ...sourcesOf({ ...texts, ...known }) })
    expect(statusOf({ legacyText: "l" })).toBe("ready")
    expect(statusOf({ legacyText: "" })).toBe("unavailable")
    expect(statusOf({ processed: [segment("p")] })).toBe("ready")
    expect(statusOf({})).toBe("unavailable")
  })

  it("gets recognized segments with their speakers, unless there are edits, which keep their own", () => {
    const recognized = { language: null, speakerMap: { "0": "Bob" }, segments: [segment("p")] }
    expect(withRecognized(transcript(), recognized)).toEqual({
      transcript: transcript({ processed: 1 }),
      texts: { processed: recognized.segments, speakerMap: { "0": "Bob" } }
    })
    expect(withRecognized(transcript({ edited: 1 }), recognized).texts).toEqual({ processed: recognized.segments })
  })
})

describe("a whole recording", () => {
  const { consoleErrors, log: _, networkErrors, ...parts } = noParts

  it("a transcript is unchanged after it was split into parts and assembled", () => {
    const whole: WholeRecording = {
      ...aRecording(),
      consoleErrors: ["x"],
      networkErrors: [],
      transcript: {
        status: "processing",
        language: "en",
        ...parts,
        edited: null,
        processed: [segment("p"), segment("q")],
        legacyText: ""
      }
    }
    const { parts: taken, recording } = takenApart(whole)
    expect(recording.transcript).toEqual(transcript({ status: "processing", processed: 2 }))
    expect(recording).not.toHaveProperty("consoleErrors")
    expect(putTogether(recording, taken)).toEqual(whole)
    const without = { ...whole, consoleErrors, networkErrors, transcript: null }
    const apart = takenApart(without)
    expect(apart.parts).toEqual(noParts)
    expect(putTogether(apart.recording, apart.parts)).toEqual(without)
  })
})
