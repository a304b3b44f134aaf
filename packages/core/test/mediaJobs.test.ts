import type { AuditEntry } from "@tapedeck/domain/audit"
import { type FreeSlots, jobIds, jobKinds, type MediaJob, MediaJobKind } from "@tapedeck/domain/internal/jobs"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import {
  defaultServiceConfig,
  type MediaClaim,
  MediaJobs,
  type MediaWork,
  RecordingSettings,
  TranscriptSettings,
  VideoUploads
} from "../src/index.ts"
import { ada, aTranscript, bob, callerOf, instantAfter, saveWhole, uuidOf } from "./examples.ts"
import { aFile, makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const member = callerOf(bob)
const one = uuidOf(1)

const everything: MediaWork = { processes: true, transcripts: "transcriber" }

/** Null: as in the emulator. */
const use = (world: SettingsWorld, mediaWork: MediaWork | null) =>
  void Object.assign(world.settings, { mediaWork: mediaWork ?? defaultServiceConfig.mediaWork })

const upload = (world: SettingsWorld, mediaWork: MediaWork | null, text = "video") => {
  use(world, mediaWork)
  const file = { contentType: "video/mp4", bytes: Stream.make(Buffer.from(text)) }
  return world.run(Effect.flatMap(VideoUploads, ({ upload }) => upload(member, one, file)))
}

const request = (world: SettingsWorld, mediaWork: MediaWork | null, uuid = one) => {
  use(world, mediaWork)
  return world.run(Effect.flatMap(TranscriptSettings, ({ request }) => request(admin, uuid)))
}

const bringIn = (world: SettingsWorld, text: string) =>
  world.run(Effect.flatMap(TranscriptSettings, (of) => of.import(admin, one, { format: "webvtt", text })))

const jobs = (world: SettingsWorld, uuid = one) =>
  world.run(world.store.jobs.byIds(MediaJobKind.literals.map((kind) => jobIds.media(kind, uuid)))) as Promise<
    ReadonlyArray<MediaJob>
  >

const withJobs = <A, E>(world: SettingsWorld, use: (media: MediaJobs["Service"]) => Effect.Effect<A, E>) =>
  world.run(Effect.flatMap(MediaJobs, use).pipe(Effect.provide(MediaJobs.layer)))

const leaseMs = 60_000
const slots: FreeSlots = { media: 9 }

const claimAll = (world: SettingsWorld) => world.run(world.store.jobs.claim({ slots, leaseMs }))

/** Claims all that is due; gives the one of this kind. */
const claim = async (world: SettingsWorld, kind: MediaJob["kind"]): Promise<MediaClaim> => {
  const found = (await claimAll(world)).find(({ job }) => job.kind === kind) as MediaClaim | undefined
  if (found === undefined) throw new Error(`no ${kind} job is due`)
  return found
}

const said = (text: string): RecognizedTranscript => ({
  language: "en",
  speakerMap: { 0: "Ann" },
  segments: [{ startSeconds: 0, endSeconds: 2, text, sentences: [] }]
})

const lastEntry = (world: SettingsWorld): AuditEntry => world.entries().at(-1)!

describe("an upload", () => {
  it("creates no job and leaves the transcript unchanged if the service has no media worker", async () => {
    const world = await makeSettingsWorld()
    const { transcript } = await world.whole(1)
    await upload(world, null)
    expect(await jobs(world)).toEqual([])
    expect((await world.whole(1)).transcript).toEqual(transcript)
  })

  it("creates jobs to process and transcribe it if there is a worker; the transcript is `processing` from then on", async () => {
    const world = await makeSettingsWorld()
    await world.setTime(instantAfter(5))
    const { recording } = await upload(world, everything)
    const fileId = recording.video.original?.fileId
    const order = { queueKey: "media:1:", maxSeconds: null }
    const job = { recordingUuid: one, fileId, ...order, failedTries: 0, dueAt: instantAfter(5) }
    expect(await jobs(world)).toEqual([
      { ...job, id: `transcribe ${one}`, kind: "transcribe" },
      { ...job, id: `process ${one}`, kind: "process" }
    ])
    expect(recording.transcript?.status).toBe("processing")
    expect(await world.recording(1)).toEqual(recording)
  })

  it("replaces the previous upload and its jobs", async () => {
    const world = await makeSettingsWorld()
    await upload(world, everything, "first")
    const before = await claim(world, "transcribe")
    const { recording } = await upload(world, everything, "second")
    expect((await jobs(world)).map(({ fileId }) => fileId)).toEqual(Array(2).fill(recording.video.original?.fileId))
    expect(await withJobs(world, (media) => media.transcribed(before, said("of the first")))).toBe(false)
    expect((await world.recording(1)).transcript).toEqual(recording.transcript)
    await upload(world, null, "third")
    expect(await jobs(world)).toEqual([])
  })

  it("without a transcriber ends the transcription of the previous file", async () => {
    const world = await makeSettingsWorld()
    await upload(world, everything)
    const { recording } = await upload(world, { processes: false, transcripts: "none" })
    expect(recording.transcript?.status).toBe("ready")
    expect(await jobs(world)).toEqual([])
  })
})

describe("a request for a transcript", () => {
  it("waits for an import, unless the service has a transcriber", async () => {
    const world = await makeSettingsWorld()
    expect((await request(world, null)).transcript?.status).toBe("processing")
    expect(await jobs(world)).toEqual([])
  })

  it("creates a job for the file that is played", async () => {
    const world = await makeSettingsWorld()
    const before = await world.whole(1)
    const video = { ...before.video, processed: aFile("f2") }
    await world.run(saveWhole(world.store, { ...before, video }))
    expect((await request(world, everything)).transcript?.status).toBe("processing")
    expect(await jobs(world)).toMatchObject([{ kind: "transcribe", fileId: "f2" }])
  })

  it.each([
    ["none", one, "ready"],
    ["none", uuidOf(2), "unavailable"],
    ["transcriber", uuidOf(2), "unavailable"]
  ] as const)(
    "ends at once without a new job, with the setting %s: the previous transcript stays readable",
    async (transcripts, uuid, status) => {
      const world = await makeSettingsWorld()
      const after = await request(world, { processes: true, transcripts }, uuid)
      expect(after.transcript?.status).toBe(status)
      expect(await jobs(world, uuid)).toEqual([])
      expect((await world.run(world.store.recordings.byUuid(uuid)))?.transcript?.status).toBe(status)
      expect(lastEntry(world)).toMatchObject({ eventType: "transcript.requested", userId: ada.id })
      expect(lastEntry(world).metadata.changes.status?.to).toBe(status)
    }
  )
})

describe("a completed transcription", () => {
  it("stores the processed source, sets the status to ready, and writes an audit entry without a user", async () => {
    const world = await makeSettingsWorld()
    await upload(world, everything)
    const mine = await claim(world, "transcribe")
    expect(await withJobs(world, (media) => media.transcribed(mine, said("Hello")))).toBe(true)
    const { transcript } = await world.whole(1)
    expect(transcript).toMatchObject({ status: "ready", language: "en", speakerMap: { 0: "Ann" } })
    expect(transcript?.processed).toEqual(said("Hello").segments)
    expect((await jobs(world)).map(({ kind }) => kind)).toEqual(["process"])
    expect(lastEntry(world)).toMatchObject({
      eventType: "transcript.updated",
      userId: null,
      metadata: {
        targetId: one,
        changes: { status: { from: "processing", to: "ready" }, segments: { from: 1, to: 1 } }
      }
    })
    expect(await withJobs(world, (media) => media.transcribed(mine, said("Again")))).toBe(false)
  })

  it("keeps edits and the speakers of those edits", async () => {
    const world = await makeSettingsWorld()
    const before = await world.whole(1)
    const edited = [{ startSeconds: 0, endSeconds: 1, text: "Edited", sentences: [] }]
    const transcript = aTranscript({ status: "ready", edited, speakerMap: { 0: "Bob" } })
    await world.run(saveWhole(world.store, { ...before, transcript }))
    await request(world, everything)
    const mine = await claim(world, "transcribe")
    await withJobs(world, (media) => media.transcribed(mine, said("Hello")))
    expect((await world.whole(1)).transcript).toMatchObject({
      status: "ready",
      edited,
      speakerMap: { 0: "Bob" },
      processed: said("Hello").segments
    })
  })

  it("sets the status to unavailable if the transcript has no text", async () => {
    const world = await makeSettingsWorld()
    await upload(world, everything)
    const mine = await claim(world, "transcribe")
    await withJobs(world, (media) => media.transcribed(mine, { language: null, speakerMap: {}, segments: [] }))
    expect((await world.whole(1)).transcript).toMatchObject({ status: "unavailable", processed: null })
  })

  it("is discarded if its recording was deleted meanwhile", async () => {
    const world = await makeSettingsWorld()
    await upload(world, everything)
    const mine = await claim(world, "transcribe")
    await world.run(Effect.flatMap(RecordingSettings, ({ remove }) => remove(member, one)))
    const entries = world.entries().length
    expect(await withJobs(world, (media) => media.transcribed(mine, said("Hello")))).toBe(false)
    expect(await withJobs(world, (media) => media.failed(mine, { again: true }))).toBe("lost")
    expect(await world.run(world.store.jobs.renew(mine, leaseMs))).toBe(false)
    expect(await jobs(world)).toEqual([])
    expect(world.entries()).toHaveLength(entries)
  })

  it("is discarded if a transcript was imported meanwhile, even after another request", async () => {
    const world = await makeSettingsWorld()
    await upload(world, everything)
    const mine = await claim(world, "transcribe")
    await bringIn(world, "WEBVTT\n\n00:00.000 --> 00:01.000\nBrought along")
    expect((await world.whole(1)).transcript?.status).toBe("ready")
    expect(await withJobs(world, (media) => media.transcribed(mine, said("Hello")))).toBe(false)
    await request(world, everything)
    expect(await withJobs(world, (media) => media.transcribed(mine, said("Hello")))).toBe(false)
    expect((await world.whole(1)).transcript).toMatchObject({
      status: "processing",
      processed: [{ text: "Brought along" }]
    })
    const next = await claim(world, "transcribe")
    expect(await withJobs(world, (media) => media.transcribed(next, said("Second")))).toBe(true)
  })
})

describe("a media job", () => {
  it("of a lost worker can be claimed again when its lease ends", async () => {
    const world = await makeSettingsWorld()
    await upload(world, everything)
    const mine = await claim(world, "transcribe")
    await world.setTime(instantAfter(leaseMs))
    const theirs = await claim(world, "transcribe")
    expect(await withJobs(world, (media) => media.transcribed(mine, said("late")))).toBe(false)
    expect(await withJobs(world, (media) => media.transcribed(theirs, said("in time")))).toBe(true)
  })

  it.each([
    ["unavailable", null],
    ["ready", "from before"]
  ] as const)("is retried on its schedule when it fails, and then given up: %s", async (status, text) => {
    const world = await makeSettingsWorld()
    const processed = text === null ? null : said(text).segments
    const before = await world.whole(1)
    await world.run(saveWhole(world.store, { ...before, transcript: aTranscript({ processed }) }))
    await upload(world, { processes: false, transcripts: "transcriber" })
    let at = 0
    for (const delayMs of jobKinds.transcribe.retryDelaysMs) {
      const mine = await claim(world, "transcribe")
      expect(await withJobs(world, (media) => media.failed(mine, { again: true }))).toBe("postponed")
      expect((await world.whole(1)).transcript?.status).toBe("processing")
      at += delayMs
      await world.setTime(instantAfter(at - 1))
      expect(await claimAll(world)).toEqual([])
      await world.setTime(instantAfter(at))
    }
    const last = await claim(world, "transcribe")
    expect(last.job.failedTries).toBe(5)
    expect(await withJobs(world, (media) => media.failed(last, { again: true }))).toBe("given_up")
    expect((await world.whole(1)).transcript).toMatchObject({ status, processed })
    expect(await jobs(world)).toEqual([])
    expect(lastEntry(world)).toMatchObject({ eventType: "transcript.updated", userId: null })
  })

  it("is given up at once after a permanent failure", async () => {
    const world = await makeSettingsWorld()
    await upload(world, everything)
    for (const kind of ["process", "transcribe"] as const) {
      await world.setTime(instantAfter(kind === "process" ? 0 : leaseMs))
      const mine = await claim(world, kind)
      expect(await withJobs(world, (media) => media.failed(mine, { again: false }))).toBe("given_up")
    }
    expect(await jobs(world)).toEqual([])
  })
})

describe("a processed video", () => {
  it("has a duration, a still and a playable file, which is deleted with the recording", async () => {
    const world = await makeSettingsWorld()
    const { recording: before } = await upload(world, { processes: true, transcripts: "script" })
    await world.setTime(instantAfter(50))
    const mine = await claim(world, "process")
    const done = await withJobs(world, (media) =>
      Effect.gen(function* () {
        const processed = yield* media.keepFile("video/mp4", Stream.make(Buffer.from("playable")))
        const thumbnail = yield* media.keepFile("image/jpeg", Stream.make(Buffer.from("still")))
        return yield* media.processed(mine, { durationSeconds: 61, processed, thumbnail })
      })
    )
    expect(done).toBe(true)
    const after1 = await world.whole(1)
    expect(after1).toMatchObject({
      durationSeconds: 61,
      updatedAt: instantAfter(50),
      video: {
        original: before.video.original,
        processed: { contentType: "video/mp4", sizeBytes: 8 },
        thumbnail: { contentType: "image/jpeg", sizeBytes: 5 }
      }
    })
    expect(lastEntry(world)).toMatchObject({
      eventType: "recording.updated",
      userId: null,
      metadata: { changes: { duration: { from: null, to: 61 }, video: { to: { size_bytes: 8 } } } }
    })
    expect(world.memory.state().files.keysArray()).toHaveLength(3)
    await world.run(Effect.flatMap(RecordingSettings, ({ remove }) => remove(member, one)))
    expect(world.memory.state().files.keysArray()).toEqual([])
  })

  it("keeps its file, and gets only a duration, if processing gives no usable file", async () => {
    const world = await makeSettingsWorld()
    const { recording: before } = await upload(world, everything)
    const mine = await claim(world, "process")
    const nothing = { durationSeconds: 7, processed: null, thumbnail: null }
    expect(await withJobs(world, (media) => media.processed(mine, nothing))).toBe(true)
    expect((await world.whole(1)).video).toEqual(before.video)
  })

  it("has a state, and the reason where it was given up, until the next upload", async () => {
    const world = await makeSettingsWorld()
    const processing = { process: { state: "processing" }, transcribe: { state: "processing" } }
    expect((await upload(world, everything)).recording.work).toEqual(processing)
    const failed = await claim(world, "process")
    const problem = "ffprobe: Invalid data"
    await withJobs(world, (media) => media.failed(failed, { again: false, problem }))
    expect((await world.whole(1)).work).toEqual({ ...processing, process: { state: "given_up", problem } })
    expect((await upload(world, everything, "second")).recording.work).toEqual(processing)
    const transcribed = await claim(world, "transcribe")
    await withJobs(world, (media) => media.transcribed(transcribed, said("Hello")))
    expect((await world.whole(1)).work).toEqual({ ...processing, transcribe: { state: "ready" } })
    expect((await upload(world, null, "third")).recording.work).toBeUndefined()
  })
})
