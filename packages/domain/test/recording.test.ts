import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  applyChanges,
  type RecordingChanges,
  type RoomInsights,
  type VideoFile,
  validateChanges
} from "../src/index.ts"
import { bestVideo, servedContentType } from "../src/internal/files.ts"
import { roomDurationSeconds, roomInsightsOf, sourceLabel } from "../src/internal/recordings.ts"
import { aRecording, instant } from "./examples.ts"

const later = instant("2026-02-01T00:00:00Z")

const errorOf = (body: unknown) => {
  const result = validateChanges(body)
  if (Result.isSuccess(result)) throw new Error(`accepted: ${JSON.stringify(body)}`)
  return result.failure
}

describe("a change of a recording", () => {
  it.each([
    [undefined],
    [null],
    ["text"],
    [[]],
    [{}],
    [{ title: "at the wrong place" }],
    [{ recording: null }],
    [{ recording: "x" }],
    [{ recording: [] }],
    [{ recording: {} }],
    [{ recording: { uuid: "x", Title: "y" } }],
    [Object.create({ recording: { title: "inherited" } })]
  ])("is malformed as %j (400, R11)", (body) => {
    expect(errorOf(body)._tag).toBe("MalformedChanges")
  })

  it("reports every field that breaks a rule at once (422, R11)", () => {
    const error = errorOf({ recording: { title: " \n\u3000", summary: 3, description: "x".repeat(65_536) } })
    expect(error._tag).toBe("InvalidChanges")
    expect(error.message).toBe(
      "title must not be blank; summary must be a string or null; description must be at most 65535 characters long"
    )
  })

  it.each([
    [{ title: null }, "title must not be null"],
    [{ title: 1 }, "title must be a string"],
    [{ title: "" }, "title must not be blank"],
    [{ title: "x".repeat(256) }, "title must be at most 255 characters long"],
    [{ summary: "x".repeat(10_001) }, "summary must be at most 10000 characters long"],
    [{ description: {} }, "description must be a string or null"]
  ])("is refused as %o (422)", (recording, message) => {
    expect(errorOf({ recording }).message).toBe(message)
  })

  it.each([
    ["title", 255],
    ["summary", 10_000],
    ["description", 65_535]
  ])("accepts a %s of %i characters, each an emoji, and no more", (field, max) => {
    expect(Result.isSuccess(validateChanges({ recording: { [field]: "😀".repeat(max) } }))).toBe(true)
    expect(errorOf({ recording: { [field]: "😀".repeat(max + 1) } })._tag).toBe("InvalidChanges")
    expect(errorOf({ recording: { [field]: `${"😀".repeat(max)}x` } })._tag).toBe("InvalidChanges")
  })

  it("keeps the fields of the schema, and ignores other keys", () => {
    expect(validateChanges({ recording: { summary: null, uuid: "x" }, other: 1 })).toEqual(
      Result.succeed({ summary: null })
    )
    expect(validateChanges({ recording: { title: " kept as it is " } })).toEqual(
      Result.succeed({ title: " kept as it is " })
    )
  })

  it("updates updatedAt only if a value differs, and leaves absent fields unchanged (R11)", () => {
    const text = fc.option(fc.constantFrom("a", "b"), { nil: null })
    const changes: fc.Arbitrary<RecordingChanges> = fc.record(
      { title: fc.constantFrom("a", "b"), summary: text, description: text },
      { requiredKeys: [] }
    )
    const before = fc.record({ title: text, summary: text, description: text }).map(aRecording)
    fc.assert(
      fc.property(before, changes, (recording, change) => {
        const changed = applyChanges(recording, change, later)
        const same = (["title", "summary", "description"] as const).every(
          (field) => !(field in change) || change[field] === recording[field]
        )
        if (same) expect(changed).toBe(recording)
        else expect(changed).toEqual({ ...recording, ...change, updatedAt: later })
      })
    )
  })
})

describe("a recording's video", () => {
  const file = (fileId: string, contentType = "video/webm"): VideoFile => ({
    fileId,
    contentType,
    sizeBytes: 1,
    etag: fileId
  })
  const [original, processed, edited] = [file("o"), file("p"), file("e")]

  it("is the edited file, else the processed, else the original, else none", () => {
    expect(bestVideo(aRecording({ video: { original, processed, edited } }))).toBe(edited)
    expect(bestVideo(aRecording({ video: { original, processed, edited: null } }))).toBe(processed)
    expect(bestVideo(aRecording({ video: { original, processed: null, edited: null } }))).toBe(original)
    expect(bestVideo(aRecording())).toBeNull()
  })

  it.each([
    ["video/mp4", "video/mp4"],
    ["video/webm;codecs=vp9", "video/webm"],
    ["Video/QuickTime ; x=y", "video/quicktime"],
    ["video/x-matroska", "application/octet-stream"],
    ["video/mp4x", "application/octet-stream"],
    ["text/html", "application/octet-stream"],
    ["", "application/octet-stream"]
  ])("that was uploaded as %j is served as %s (R23)", (contentType, served) => {
    expect(servedContentType(file("x", contentType))).toBe(served)
  })
})

describe("derived fields of a recording (R22)", () => {
  const insights = (startedAt: string | null, endedAt: string | null): RoomInsights => ({
    startedAt: startedAt === null ? null : instant(startedAt),
    endedAt: endedAt === null ? null : instant(endedAt),
    totalParticipantMinutes: null,
    totalUniqueParticipants: null,
    participantsInsights: null
  })

  it.each([
    ["2026-01-01T00:00:00Z", "2026-01-01T00:01:30.999Z", 90],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", 0],
    ["2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z", 0],
    [null, "2026-01-01T00:00:00Z", null],
    ["2026-01-01T00:00:00Z", null, null]
  ])("the duration of a room from %s to %s is %s seconds", (start, end, seconds) => {
    expect(roomDurationSeconds(insights(start, end))).toBe(seconds)
  })

  it("room insights are shown for Live recordings only", () => {
    const roomInsights = insights(null, null)
    expect(roomInsightsOf(aRecording({ type: "Live", roomInsights }))).toBe(roomInsights)
    expect(roomInsightsOf(aRecording({ type: "Sent", roomInsights }))).toBeNull()
    expect(roomInsightsOf(aRecording({ type: "Live" }))).toBeNull()
  })

  it("the source is labelled as given, else by the helpdesk", () => {
    expect(sourceLabel(aRecording({ source: "Zendesk ticket" }), "Tapedeck")).toBe("Zendesk ticket")
    expect(sourceLabel(aRecording(), "Tapedeck")).toBe("Tapedeck app")
  })
})
