import { describe, expect, it } from "vitest"
import { loadRecording, makeWorld, recordingOf, startInstant, uuid } from "./startDocumentWorld.ts"

const now = startInstant
const webm = Buffer.from("not really a webm")

describe("videos", () => {
  it("base64, white space or not; made-up bytes; none", async () => {
    const base64 = webm.toString("base64")
    const { recording, world } = await loadRecording({
      video: {
        original: { base64: `${base64.slice(0, 8)}\n  ${base64.slice(8)}\n`, content_type: "video/mp4; codecs=avc1" },
        processed: { size: 1_000_000_000 },
        edited: { content_type: "video/mp4" }
      }
    })
    const { edited, original, processed } = recording.video
    expect(edited).toBeNull()
    expect(original).toMatchObject({ contentType: "video/mp4; codecs=avc1", sizeBytes: webm.length })
    expect(await world.bytesOf(original!.fileId, 0, webm.length)).toEqual(webm)
    expect(processed).toMatchObject({ contentType: "video/webm", sizeBytes: 1_000_000_000 })
    expect(await world.bytesOf(processed!.fileId, 999_999_990, 10)).toHaveLength(10)
    expect(original!.fileId).not.toBe(processed!.fileId)
  })

  it("a path is read once, and its extension says the type", async () => {
    const read: Array<string> = []
    const readFile = (path: string) => {
      read.push(path)
      return new Uint8Array(webm)
    }
    const world = makeWorld()
    const paths = ["clips/a.MP4", "a.mov", "a.webm", "a.avi", "a", "a.webm"]
    const recordings = paths.map((path) => ({ video: { original: { path } } }))
    const { made } = await world.load({ recordings }, { readFile })
    const types = await Promise.all(
      made.recordings.map(async (one) => (await recordingOf(world, one.uuid))?.video.original)
    )
    expect(types.map((file) => file?.contentType)).toEqual([
      "video/mp4",
      "video/quicktime",
      "video/webm",
      "application/octet-stream",
      "application/octet-stream",
      "video/webm"
    ])
    expect(read).toEqual(["clips/a.MP4", "a.mov", "a.webm", "a.avi", "a"])
    expect(await world.bytesOf(types[0]!.fileId, 0, 100)).toEqual(webm)
  })

  it("the same bytes have the same ETag, other bytes another", async () => {
    const { recording } = await loadRecording({
      video: { original: { base64: "AAAA" }, processed: { base64: "AAAA" }, edited: { base64: "AAAB" } }
    })
    const { edited, original, processed } = recording.video
    expect(original!.etag).toBe(processed!.etag)
    expect(original!.etag).not.toBe(edited!.etag)
    const madeUp = await loadRecording({ video: { original: { size: 5 }, processed: { size: 6 } } })
    expect(madeUp.recording.video.original!.etag).not.toBe(madeUp.recording.video.processed!.etag)
  })
})

describe("transcripts", () => {
  const segment = { start_seconds: 0, end_seconds: 4, text: "Hello", sentences: [{ speaker: "0" }] }
  const kept = { startSeconds: 0, endSeconds: 4, text: "Hello", sentences: [{ speaker: "0" }] }

  it("every key", async () => {
    const { recording } = await loadRecording({
      transcript: {
        language: "pt-BR",
        speaker_map: { "0": "Kim" },
        edited: [segment],
        processed: [{ start_seconds: 1, text: "Hi" }],
        legacy: "Hello"
      }
    })
    expect(recording.transcript).toEqual({
      status: "ready",
      language: "pt-BR",
      speakerMap: { "0": "Kim" },
      edited: [kept],
      processed: [{ startSeconds: 1, endSeconds: null, text: "Hi", sentences: [] }],
      legacyText: "Hello"
    })
  })

  it("segments are processed segments", async () => {
    const { recording } = await loadRecording({ transcript: { segments: [segment] } })
    expect(recording.transcript).toMatchObject({ status: "ready", processed: [kept], edited: null })
  })

  it.each([
    [{}, "unavailable"],
    [{ language: "en", segments: [] }, "unavailable"],
    [{ legacy: "Hello" }, "ready"],
    [{ script: [], legacy: "Hello" }, "ready"]
  ])("without a script %j is %s", async (transcript, status) => {
    const { recording } = await loadRecording({ transcript })
    expect(recording.transcript?.status).toBe(status)
  })

  it.each([
    [[{ at: 1, status: "processing" }], "unavailable"],
    [[{ at: 1, status: "ready" }], "processing"],
    [[{ at: 1, status: "unavailable" }], "processing"],
    [[{ at: 0, status: "processing" }], "processing"],
    [[{ at: 0, status: "ready" }], "ready"],
    [
      [
        { at: 0, status: "processing" },
        { at: "PT0S", status: "ready" }
      ],
      "ready"
    ],
    [[{ reads: 2, status: "processing" }], "unavailable"],
    [{ reads: 3, status: "ready" }, "processing"],
    [{ at: 0, status: "unavailable" }, "unavailable"]
  ])("with the script %j is %s when it is loaded", async (script, status) => {
    const { recording } = await loadRecording({ transcript: { script, segments: [segment] } })
    expect(recording.transcript?.status).toBe(status)
  })

  it("steps by time are on the agenda, from now; steps by reads are the caller's", async () => {
    const { loaded, world } = await loadRecording({
      transcript: {
        script: [
          { at: "PT0S", status: "processing" },
          { at: "PT30S", status: "ready" },
          { at: 60_000, status: "processing" },
          { reads: 3, status: "ready" },
          { reads: 3, status: "processing" }
        ]
      }
    })
    const due = await world.run(world.store.agenda.list)
    expect(due).toEqual([
      { kind: "transcript", at: now + 30_000, step: { recordingUuid: uuid, at: now + 30_000, status: "ready" } },
      { kind: "transcript", at: now + 60_000, step: { recordingUuid: uuid, at: now + 60_000, status: "processing" } }
    ])
    expect(loaded.readScripts).toEqual([
      {
        recordingUuid: uuid,
        steps: [
          { reads: 3, status: "ready" },
          { reads: 3, status: "processing" }
        ]
      }
    ])
  })
})
