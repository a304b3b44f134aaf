import type { Recording } from "@tapedeck/domain"
import { TranscriptInput, TrimInput } from "@tapedeck/domain/input"
import { trimOf } from "@tapedeck/domain/internal/files"
import { jobIds } from "@tapedeck/domain/internal/jobs"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import {
  CaptureLogs,
  InputInvalid,
  type MediaClaim,
  MediaJobs,
  type MediaWork,
  StateConflict,
  TranscriptSettings,
  TrimSettings,
  VideoUploads
} from "../src/index.ts"
import { ada, bob, callerOf, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { aFile, makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const member = callerOf(bob)
const one = uuidOf(1)

const withTrims = <A, E>(
  world: SettingsWorld,
  use: (trims: TrimSettings["Service"]) => Effect.Effect<A, E>,
  isServer: boolean
) => {
  const mediaWork: MediaWork = { processes: isServer, transcripts: isServer ? "none" : "script" }
  Object.assign(world.settings, { mediaWork })
  return world.run(Effect.flatMap(TrimSettings, use))
}

const set = (world: SettingsWorld, start_seconds: unknown, end_seconds: unknown, isServer = false) =>
  withTrims(world, (trims) => trims.set(member, one, inputOf(TrimInput, { start_seconds, end_seconds })), isServer)
const refusal = (world: SettingsWorld, start_seconds: unknown, end_seconds: unknown) =>
  withTrims(
    world,
    (trims) => Effect.flip(trims.set(member, one, inputOf(TrimInput, { start_seconds, end_seconds }))),
    false
  )
const undo = (world: SettingsWorld) => withTrims(world, (trims) => trims.undo(member, one), false)

const filesIn = (world: SettingsWorld) => world.memory.state().files.keysArray()
const segmentsOf = (world: SettingsWorld) =>
  world.run(
    Effect.flatMap(TranscriptSettings, ({ read }) => read(member, one)).pipe(
      Effect.flatMap(({ transcript }) => transcript.read({ offset: 0, limit: 100 }))
    )
  )

const header = {
  ...{ version: 1, started_at: "2026-01-01T10:00:00.000Z", page: { url: "", title: "" }, user_agent: "" },
  ...{ viewport: { width: 1, height: 1 }, timezone: "", language: "" }
}
const log = [header, ...[0, 1_500, 9_000].map((t, seq) => ({ seq, t, kind: "mark", text: String(t) }))]
  .map((line) => JSON.stringify(line))
  .join("\n")
const importLog = (world: SettingsWorld) =>
  world.run(Effect.flatMap(CaptureLogs, (logs) => logs.import(member, one, log)))
const marksOf = async (world: SettingsWorld) => {
  const read = CaptureLogs.use(({ read }) => Effect.flatMap(read(member, one, {}), (log) => Stream.mkString(log.text)))
  const text = await world.run(Effect.scoped(read))
  return text
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => (JSON.parse(line) as { readonly t: number }).t)
}

const withJobs = <A, E>(world: SettingsWorld, use: (media: MediaJobs["Service"]) => Effect.Effect<A, E>) =>
  world.run(Effect.flatMap(MediaJobs, use).pipe(Effect.provide(MediaJobs.layer)))

const startJob = async (world: SettingsWorld) => {
  await set(world, 1, 3, true)
  return (await claimed(world))!
}

/** Claims the job that is due. */
const claimed = async (world: SettingsWorld) => {
  const [claim] = await world.run(world.store.jobs.claim({ slots: { media: 1 }, leaseMs: 60_000 }))
  return claim as MediaClaim | undefined
}

const change = async (world: SettingsWorld, part: Partial<Recording>) => {
  const before = await world.recording(1)
  await world.run(world.store.recordings.save({ ...before!, ...part }))
}

describe("A trim without a media worker, as on the emulator", () => {
  it("is ready at once; transcript and log follow it, and the undo brings all back", async () => {
    const world = await makeSettingsWorld()
    await importLog(world)
    const before = await world.whole(1)
    const { recording } = await set(world, 1, 3)
    expect(recording).toMatchObject({
      durationSeconds: 2,
      video: { original: { fileId: "f1" }, trim: { state: "ready" } }
    })
    expect(filesIn(world)).toHaveLength(2)
    expect(await segmentsOf(world)).toEqual([{ startSeconds: 0, endSeconds: 2, text: "Recognized", sentences: [] }])
    expect(await marksOf(world)).toEqual([500])
    expect(world.entries().at(-1)).toMatchObject({
      eventType: "recording.updated",
      userId: bob.id,
      metadata: { changes: { trim: { from: null, to: { start_seconds: 1, end_seconds: 3, state: "ready" } } } }
    })
    await undo(world)
    const { updatedAt: _, ...rest } = await world.whole(1)
    expect(before).toMatchObject(rest)
    expect(filesIn(world)).toEqual(["f1"])
    expect(await marksOf(world)).toEqual([0, 1_500, 9_000])
  })

  it("changes nothing when it is repeated, and neither does its undo", async () => {
    const world = await makeSettingsWorld()
    const first = await set(world, 1, 3)
    const entries = world.entries().length
    expect(await set(world, 1, 3)).toEqual(first)
    expect(filesIn(world)).toHaveLength(2)
    await undo(world)
    await undo(world)
    expect(world.entries()).toHaveLength(entries + 1)
  })

  it.each([
    [-0.1, 3, "start_seconds must not be negative"],
    [1, 1.9, "end_seconds must be at least 1 second after start_seconds"],
    [0, 43.1, "end_seconds must be at most 43"],
    ["0", Number.NaN, "start_seconds must be a number of seconds; end_seconds must be a number of seconds"]
  ])("from %s s to %s s is refused: %s", async (start, end, message) => {
    const world = await makeSettingsWorld()
    await change(world, { durationSeconds: 42 })
    const refused = await refusal(world, start, end)
    expect(refused).toBeInstanceOf(InputInvalid)
    expect(refused.message).toBe(message)
    expect(filesIn(world)).toEqual(["f1"])
  })

  it("keeps a second at least, to the rounded length at most, and to a day where the length is not known", async () => {
    const world = await makeSettingsWorld()
    await change(world, { durationSeconds: 42 })
    await set(world, 42, 43)
    await undo(world)
    await change(world, { durationSeconds: null })
    expect((await refusal(world, 0, 86_401)).message).toBe("end_seconds must be at most 86400")
    expect((await set(world, 0, 86_400)).recording.durationSeconds).toBe(86_400)
    await undo(world)
    expect((await world.recording(1))?.durationSeconds).toBeNull()
  })

  it("is refused for a recording without a video, with an edited file, or trimmed otherwise", async () => {
    const world = await makeSettingsWorld()
    await set(world, 1, 3)
    expect((await refusal(world, 1, 4)).message).toBe("The recording is trimmed: undo the trim first")
    await undo(world)
    const video = { original: aFile("f1"), processed: null, edited: aFile("f2") }
    await change(world, { video })
    expect((await refusal(world, 1, 3)).message).toMatch(/has an edited file/)
    await change(world, { video: { original: null, processed: null, edited: null } })
    expect((await refusal(world, 1, 3)).message).toBe("The recording has no video to trim")
  })

  it("refuses edits, imports and files that have the time of the whole video", async () => {
    const world = await makeSettingsWorld()
    await set(world, 1, 3)
    const edit = Effect.flatMap(TranscriptSettings, (of) =>
      Effect.flip(of.edit(member, one, inputOf(TranscriptInput, { segments: [] })))
    )
    expect(await world.run(edit)).toBeInstanceOf(StateConflict)
    const text = { format: "text", text: "x" } as const
    const transcript = Effect.flatMap(TranscriptSettings, (of) => Effect.flip(of.import(member, one, text)))
    expect(await world.run(transcript)).toBeInstanceOf(StateConflict)
    const anotherLog = Effect.flatMap(CaptureLogs, (of) => Effect.flip(of.import(member, one, log)))
    expect(await world.run(anotherLog)).toBeInstanceOf(StateConflict)
    const file = { contentType: "video/mp4", bytes: Stream.make(Buffer.from("edited")) }
    const edited = Effect.flatMap(VideoUploads, (of) => Effect.flip(of.upload(member, one, file, "edited")))
    expect(await world.run(edited)).toBeInstanceOf(StateConflict)
    expect(filesIn(world)).toHaveLength(2)
  })

  it("is not there for those who do not see the recording", async () => {
    const world = await makeSettingsWorld()
    await change(world, { ownerId: ada.id })
    expect((await refusal(world, 1, 3))._tag).toBe("NotFound")
  })

  it("goes with the video that another original replaces", async () => {
    const world = await makeSettingsWorld()
    await set(world, 1, 3)
    const upload = { contentType: "video/mp4", bytes: Stream.make(Buffer.from("other")) }
    await world.run(Effect.flatMap(VideoUploads, (of) => of.upload(member, one, upload)))
    const recording = await world.recording(1)
    expect(recording?.video).toEqual({ original: recording?.video.original, processed: null, edited: null })
    expect(filesIn(world)).toHaveLength(1)
  })
})

describe("A trim by the media worker", () => {
  it("is a job; the whole video is served until it is made", async () => {
    const world = await makeSettingsWorld()
    const claim = await startJob(world)
    expect(claim.job).toMatchObject({ kind: "trim", fileId: "f1" })
    const processing = await world.recording(1)
    expect(processing).toMatchObject({ video: { edited: null, trim: { state: "processing" } } })
    expect(trimOf(processing!)).toBeUndefined()
    const made = { edited: aFile("cut"), durationSeconds: 2, thumbnail: aFile("still") }
    expect(await withJobs(world, (media) => media.trimmed(claim, made))).toBe(true)
    expect(await world.recording(1)).toMatchObject({
      durationSeconds: 2,
      video: { edited: { fileId: "cut" }, thumbnail: { fileId: "still" }, trim: { state: "ready" } }
    })
    expect(world.entries().at(-1)?.userId).toBeNull()
    await undo(world)
    expect((await world.recording(1))?.video).toEqual(processing?.video && { ...processing.video, trim: undefined })
  })

  it("is made of the newest range alone, and of none after the undo", async () => {
    const world = await makeSettingsWorld()
    const first = await startJob(world)
    await set(world, 1, 4, true)
    const made = { edited: aFile("cut"), durationSeconds: 2, thumbnail: null }
    expect(await withJobs(world, (media) => media.trimmed(first, made))).toBe(false)
    const second = await claimed(world)
    await undo(world)
    expect(await withJobs(world, (media) => media.trimmed(second!, made))).toBe(false)
    expect((await world.recording(1))?.video).toEqual({ original: aFile("f1"), processed: null, edited: null })
  })

  it("that is given up leaves the whole video, says so, and can be tried again", async () => {
    const world = await makeSettingsWorld()
    const claim = await startJob(world)
    expect(await withJobs(world, (media) => media.failed(claim, { again: false }))).toBe("given_up")
    expect((await world.recording(1))?.video).toMatchObject({ edited: null, trim: { state: "failed" } })
    expect((await set(world, 1, 3, true)).recording.video.trim?.state).toBe("processing")
  })

  it("is refused while the video is processed, and on a server without ffmpeg", async () => {
    const world = await makeSettingsWorld()
    const job = {
      id: jobIds.media("process", one),
      recordingUuid: one,
      kind: "process",
      fileId: "f1",
      queueKey: "media:1:",
      maxSeconds: null,
      failedTries: 0,
      dueAt: bob.createdAt
    } as const
    await world.run(world.store.jobs.enqueue(job))
    expect((await refusal(world, 1, 3)).message).toMatch(/being processed/)
    Object.assign(world.settings, { mediaWork: { processes: false, transcripts: "none" } })
    const none = Effect.flatMap(TrimSettings, (trims) =>
      Effect.flip(trims.set(member, one, inputOf(TrimInput, { start_seconds: 1, end_seconds: 3 })))
    )
    expect((await world.run(none)).message).toBe("This server has no ffmpeg, which trims videos")
  })
})
