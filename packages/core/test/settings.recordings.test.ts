import { createHash } from "node:crypto"
import { parseIso, type VideoVersion } from "@tapedeck/domain"
import { FolderChoice, RecordingInput, TranscriptInput } from "@tapedeck/domain/input"
import { bestVideo } from "@tapedeck/domain/internal/files"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { RecordingSettings, StorageFull, TranscriptSettings, VideoUploads } from "../src/index.ts"
import { ada, bob, callerOf, instantAfter, startInstant, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { aFile, makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const member = callerOf(bob)
const one = uuidOf(1)

const settings = Effect.flatMap(RecordingSettings, Effect.succeed)
const create = (caller: typeof admin, input: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(settings, ({ create }) => create(caller, inputOf(RecordingInput, input)))

const bytesOf = (world: SettingsWorld, fileId: string) =>
  world.run(
    Effect.flatMap(world.store.files.read(fileId, 0, 1000), (bytes) =>
      Effect.map(Stream.runCollect(bytes ?? Stream.empty), (all) => Buffer.concat(all))
    )
  )

const filesIn = (world: SettingsWorld) => world.memory.state().files.keysArray()

describe("a new recording", () => {
  it("has the given values, belongs to the caller, and has no video", async () => {
    const world = await makeSettingsWorld()
    await world.setTime(instantAfter(7))
    const { owner, recording } = await world.run(
      create(member, {
        title: "Checkout fails",
        recording_type: "Live",
        helpdesk: { platform: "jira", ticket_id: "SUP-1" },
        duration: 42,
        customer: { email: "c@example.com" },
        technical_details: { isp: "Example" },
        console_logs: "[error] x",
        browser: "Firefox",
        room_insights: { started_at: "2026-01-01T09:00:00Z", ended_at: "2026-01-01T09:01:00Z" }
      })
    )
    expect(owner).toEqual(bob)
    expect(recording).toMatchObject({
      ownerId: bob.id,
      title: "Checkout fails",
      type: "Live",
      helpdesk: { platform: "jira", issueId: "SUP-1" },
      durationSeconds: 42,
      customerEmail: "c@example.com",
      technicalDetails: { isp: "Example", vendor: null },
      consoleLogs: "[error] x",
      browser: "Firefox",
      createdAt: instantAfter(7),
      updatedAt: instantAfter(7),
      impressionsCount: 0,
      folderId: null,
      video: { original: null, processed: null, edited: null },
      transcript: null
    })
    expect(await world.run(world.store.recordings.byUuid(recording.uuid))).toEqual(recording)
  })

  it("can be given another owner, or none, by an admin", async () => {
    const world = await makeSettingsWorld()
    expect((await world.run(create(admin, { user: "BOB@acme.test" }))).owner).toEqual(bob)
    expect((await world.run(create(admin, { user: null }))).owner).toBeNull()
    expect((await world.run(create(member, { user: "bob@acme.test" }))).owner).toEqual(bob)
  })

  it("can be given a creation time by an admin", async () => {
    const world = await makeSettingsWorld()
    const { recording } = await world.run(create(admin, { created_at: "2020-01-01T00:00:00Z" }))
    expect(recording).toMatchObject({ createdAt: parseIso("2020-01-01T00:00:00Z"), updatedAt: startInstant })
  })

  it.each([
    [member, { created_at: "2020-01-01T00:00:00Z" }, "created_at can be set by admins only"],
    [admin, { created_at: "2026-01-01T00:00:00.001Z" }, "created_at is in the future"],
    [member, { user: "ada@acme.test" }, "user must be yourself: only admins make recordings of others"],
    [member, { user: null }, "user must be yourself: only admins make recordings of others"],
    [member, { user: "ghost@acme.test" }, "user must be yourself: only admins make recordings of others"],
    [admin, { user: "ghost@acme.test" }, "user is not the e-mail address of a user"],
    [admin, { user: "otto@other.test" }, "user is not the e-mail address of a user"],
    [admin, { title: " " }, "title must not be blank"],
    [admin, { title: "🎥".repeat(256) }, "title must be at most 255 characters long"],
    [
      admin,
      { description: "x".repeat(65_536), summary: 7 },
      "description must be at most 65535 characters long; summary must be a string or null"
    ],
    [admin, { helpdesk: { ticket_id: "1" } }, "helpdesk.ticket_id the own app has no tickets: give a platform"],
    [admin, { room_insights: {} }, "room_insights only Live recordings have room insights"],
    [admin, { console_errors: "x" }, "console_errors must be a list or null"]
  ] as const)("is refused with an error for each invalid field: %#", async (caller, input, message) => {
    const world = await makeSettingsWorld()
    expect((await world.refusal(create(caller, input))).message).toBe(message)
  })

  it("accepts a title of 255 characters, each of which may be an emoji", async () => {
    const world = await makeSettingsWorld()
    const title = "🎥".repeat(255)
    expect((await world.run(create(admin, { title }))).recording.title).toBe(title)
  })
})

describe("an upload", () => {
  const upload = (bytes: Stream.Stream<Uint8Array, "aborted">, contentType = "video/mp4") =>
    Effect.flatMap(VideoUploads, ({ upload }) => upload(member, one, { contentType, bytes }))

  it("becomes the original, streamed, with its content type; files made of the previous one are removed", async () => {
    const world = await makeSettingsWorld()
    const before = await world.recording(1)
    const video = { original: aFile("f1"), processed: aFile("f2"), edited: aFile("f3") }
    await world.run(world.store.recordings.save({ ...before, video }))
    for (const id of ["f2", "f3"]) await world.run(world.store.files.save(id, { kind: "made_up", sizeBytes: 1 }))
    await world.setTime(instantAfter(9))
    const pieces = [Buffer.from("abc"), Buffer.from("de")]
    const { recording } = await world.run(upload(Stream.fromIterable(pieces), "video/webm; codecs=vp9"))
    const { original } = recording.video
    const etag = createHash("sha256").update("abcde").digest("hex").slice(0, 32)
    expect(recording.video).toEqual({ original, processed: null, edited: null })
    expect(original).toMatchObject({ contentType: "video/webm; codecs=vp9", sizeBytes: 5, etag })
    expect(recording.updatedAt).toBe(instantAfter(9))
    expect(await bytesOf(world, original!.fileId)).toEqual(Buffer.from("abcde"))
    expect(filesIn(world)).toEqual([original!.fileId])
  })

  it("of a processed or edited file replaces that file only, and creates no job", async () => {
    const world = await makeSettingsWorld({ mediaWork: { processes: true, transcripts: "transcriber" } })
    const uploadOf = (version: VideoVersion, text: string) =>
      world.run(
        Effect.flatMap(VideoUploads, ({ upload }) =>
          upload(member, one, { contentType: "video/mp4", bytes: Stream.succeed(Buffer.from(text)) }, version)
        )
      )
    const before = await world.recording(1)
    const { recording: processed } = await uploadOf("processed", "processed")
    expect(processed.video).toMatchObject({
      original: before.video.original,
      processed: { sizeBytes: 9 },
      edited: null
    })
    await uploadOf("edited", "first")
    const { recording } = await uploadOf("edited", "edited")
    expect(bestVideo(recording)).toEqual(recording.video.edited)
    expect(await bytesOf(world, recording.video.edited!.fileId)).toEqual(Buffer.from("edited"))
    expect(await world.run(world.store.jobs.byIds([`process ${one}`, `transcribe ${one}`]))).toEqual([])
    expect(recording.transcript).toEqual(before.transcript)
    expect(filesIn(world)).toHaveLength(3)
    expect((await uploadOf("original", "new")).recording.video).toMatchObject({ processed: null, edited: null })
    expect(filesIn(world)).toHaveLength(1)
  })

  it.each([
    ["is aborted", Stream.concat(Stream.succeed(Buffer.from("ab")), Stream.fail("aborted" as const)), "aborted"],
    ["is empty", Stream.empty, expect.objectContaining({ _tag: "InputMalformed" })],
    [
      "is too large",
      Stream.succeed(Buffer.alloc(11)),
      expect.objectContaining({ _tag: "UploadTooLarge", limitBytes: 10 })
    ]
  ] as const)("changes nothing if its body %s", async (_what, bytes, refusal) => {
    const world = await makeSettingsWorld({ maxUploadBytes: 10 })
    const { recordings, auditEntries } = world.memory.state()
    expect(await world.refusal(upload(bytes))).toEqual(refusal)
    expect(world.memory.state()).toMatchObject({ recordings, auditEntries })
    expect(filesIn(world)).toEqual(["f1"])
  })

  it("is accepted at exactly the maximum size", async () => {
    const world = await makeSettingsWorld({ maxUploadBytes: 10 })
    expect((await world.run(upload(Stream.succeed(Buffer.alloc(10))))).recording.video.original?.sizeBytes).toBe(10)
  })

  it("leaves nothing if it is interrupted", async () => {
    const world = await makeSettingsWorld()
    await world.run(
      Effect.gen(function* () {
        const reading = yield* Deferred.make<void>()
        const endless = Stream.concat(
          Stream.succeed(Buffer.from("ab")),
          Stream.fromEffect(Effect.andThen(Deferred.succeed(reading, undefined), Effect.never))
        )
        const fiber = yield* Effect.forkChild(upload(endless), { startImmediately: true })
        yield* Deferred.await(reading)
        yield* Fiber.interrupt(fiber)
      })
    )
    expect(filesIn(world)).toEqual(["f1"])
    expect((await world.recording(1)).video.original?.fileId).toBe("f1")
  })

  it("of a recording that is deleted meanwhile fails with NotFound, and leaves no file", async () => {
    const world = await makeSettingsWorld()
    const deletedMeanwhile = Stream.fromEffect(
      Effect.as(world.store.recordings.remove(one), Buffer.from("abc") as Uint8Array)
    )
    expect(await world.refusal(upload(deletedMeanwhile))).toMatchObject({ _tag: "NotFound" })
    expect(filesIn(world)).toEqual(["f1"])
  })

  const webm = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d4287810242858102", "hex")

  it("has the type of its first bytes, whatever its declared type and its chunks", async () => {
    const world = await makeSettingsWorld()
    const bytes = Buffer.concat([webm, Buffer.alloc(10_000, 7)])
    for (const size of [1, 7, 5_000, 20_000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size)
      )
      const { recording } = await world.run(upload(Stream.fromIterable(pieces), "video/mp4"))
      expect(recording.video.original).toMatchObject({ contentType: "video/webm", sizeBytes: bytes.length })
      const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 32)
      expect(recording.video.original?.etag).toBe(etag)
      expect((await bytesOf(world, recording.video.original!.fileId)).equals(bytes.subarray(0, 1000))).toBe(true)
    }
  })

  it("is refused if it is no video and the policy requires one, before any byte is stored", async () => {
    const world = await makeSettingsWorld({}, { unknownContent: "refused" })
    const { auditEntries, files, recordings } = world.memory.state()
    const bytes = Stream.succeed(Buffer.from("sixteen bytes it"))
    expect(await world.refusal(upload(bytes))).toMatchObject({ _tag: "NotAVideo" })
    expect(world.memory.state()).toMatchObject({ auditEntries, files, recordings })
    expect((await world.run(upload(Stream.succeed(webm)))).recording.video.original?.contentType).toBe("video/webm")
  })

  it("is attached in the transaction that settles it, and leaves nothing if that fails", async () => {
    const world = await makeSettingsWorld()
    const before = world.memory.state().recordings
    const settle = Effect.andThen(world.store.files.save("f9", { kind: "made_up", sizeBytes: 1 }), Effect.fail("late"))
    const file = { contentType: "video/mp4", bytes: Stream.succeed(webm), settle }
    expect(await world.refusal(Effect.flatMap(VideoUploads, ({ upload }) => upload(member, one, file)))).toBe("late")
    expect(world.memory.state().recordings).toBe(before)
    expect(filesIn(world)).toEqual(["f1"])
  })

  it("is refused with a named error if the disk is full, and the log contains the path", async () => {
    const world = await makeSettingsWorld()
    const full = Stream.fromEffect(Effect.die(new StorageFull({ path: "/data/tmp" })))
    expect(await world.refusal(upload(full))).toMatchObject({ _tag: "StorageFull" })
    expect(filesIn(world)).toEqual(["f1"])
  })

  it("of a recording that the caller cannot see is refused before its body is read", async () => {
    const world = await makeSettingsWorld()
    const unread = Stream.fromEffect(Effect.die(new Error("it was read")))
    const refused = Effect.flatMap(VideoUploads, ({ upload }) =>
      upload(member, uuidOf(2), { contentType: "video/mp4", bytes: unread })
    )
    expect(await world.refusal(refused)).toMatchObject({ _tag: "NotFound" })
  })
})

describe("moving a recording to a folder (W13)", () => {
  const move = (folder_id: unknown, n = 1) =>
    Effect.flatMap(settings, ({ move }) => move(admin, uuidOf(n), inputOf(FolderChoice, { folder_id })))

  it("fires the folder's automations, and nothing if the recording is there already", async () => {
    const world = await makeSettingsWorld()
    expect((await world.run(move("vip"))).recording.folderId).toBe("vip")
    await world.run(move("vip"))
    const fired = () => world.deliveries().then((all) => all.filter(({ automationId }) => automationId !== null))
    expect(await fired()).toMatchObject([
      { automationId: "crm", recordingUuid: one, event: "recording.added_to_folder" }
    ])
    await world.run(move("bugs"))
    await world.run(move("vip"))
    expect(await fired()).toHaveLength(2)
    expect(world.entries().map(({ metadata }) => metadata.changes.folder_id)).toEqual([
      { from: null, to: "vip" },
      { from: "vip", to: "bugs" },
      { from: "bugs", to: "vip" }
    ])
  })

  it.each([
    [undefined, "folder_id is required"],
    ["", "folder_id must not be empty"],
    [null, "folder_id must be a string"],
    ["nowhere", "folder_id is not the id of a folder"]
  ])("refuses the folder %j", async (folder, message) => {
    const world = await makeSettingsWorld()
    expect((await world.refusal(move(folder))).message).toBe(message)
  })
})

describe("deleting a recording", () => {
  it("deletes its files, and lets pending deliveries go out", async () => {
    const world = await makeSettingsWorld()
    await world.run(
      Effect.flatMap(settings, ({ move }) => move(member, one, inputOf(FolderChoice, { folder_id: "vip" })))
    )
    await world.run(Effect.flatMap(settings, ({ remove }) => remove(member, one)))
    expect(await world.recording(1)).toBeUndefined()
    expect(filesIn(world)).toEqual([])
    const own = (await world.deliveries()).filter(({ recordingUuid }) => recordingUuid === one)
    expect(own.map(({ state }) => state._tag)).toEqual(["Scheduled"])
  })
})

describe("a transcript", () => {
  const transcripts = Effect.flatMap(TranscriptSettings, Effect.succeed)
  const edit = (input: Readonly<Record<string, unknown>>, n = 1) =>
    Effect.flatMap(transcripts, ({ edit }) => edit(admin, uuidOf(n), inputOf(TranscriptInput, input)))
  const request = (n = 1) => Effect.flatMap(transcripts, ({ request }) => request(admin, uuidOf(n)))
  const segments = [{ start_seconds: 1, end_seconds: 2, text: "Said", sentences: [{ speaker: "0" }] }]

  it("has the edited source after an edit, which has precedence; an empty list removes the edit", async () => {
    const world = await makeSettingsWorld()
    const edited = [{ startSeconds: 1, endSeconds: 2, text: "Said", sentences: [{ speaker: "0" }] }]
    const { transcript } = await world.run(edit({ segments, speaker_map: { "0": "Bob" } }))
    expect(transcript).toMatchObject({ status: "ready", source: "edited", segments: 1, speakerMap: { "0": "Bob" } })
    expect(await world.run(transcript.read({ offset: 0, limit: 9 }))).toEqual(edited)
    expect((await world.whole(1)).transcript).toMatchObject({ edited, processed: [{ text: "Recognized" }] })
    await world.run(edit({ segments: [] }))
    expect((await world.whole(1)).transcript).toMatchObject({ edited: null, speakerMap: { "0": "Bob" } })
  })

  it("can be typed where there is none: it is ready then, and unavailable once the edit is removed", async () => {
    const world = await makeSettingsWorld()
    const { transcript } = await world.run(edit({ segments }, 2))
    expect(transcript).toMatchObject({ status: "ready", source: "edited", segments: 1 })
    expect((await world.run(edit({ segments: [] }, 2))).transcript).toMatchObject({
      status: "unavailable",
      segments: 0
    })
  })

  it("cannot be edited or requested while it is being made (R15)", async () => {
    const world = await makeSettingsWorld()
    expect((await world.run(request(2))).transcript?.status).toBe("processing")
    expect(await world.refusal(request(2))).toMatchObject({ _tag: "StateConflict" })
    expect(await world.refusal(edit({ segments: 1 }, 2))).toMatchObject({ _tag: "StateConflict" })
  })

  it("shows its edits while it is made again, and leaves its recording's dates unchanged (R15)", async () => {
    const world = await makeSettingsWorld()
    await world.run(edit({ segments }))
    await world.setTime(instantAfter(5))
    const { recording, transcript } = await world.run(request())
    expect(transcript).toMatchObject({ status: "ready", source: "edited", segments: 1 })
    expect(await world.run(transcript.read({ offset: 0, limit: 9 }))).toMatchObject([{ text: "Said" }])
    expect(recording.updatedAt).toBe(startInstant)
    // Edits can be corrected meanwhile; it can be asked for once.
    expect(await world.refusal(request())).toMatchObject({ _tag: "StateConflict" })
    expect((await world.run(edit({ segments: [...segments, ...segments] }))).transcript.segments).toBe(2)
    expect((await world.run(edit({ segments: [] }))).transcript).toMatchObject({ status: "processing", segments: 0 })
  })

  it.each([
    [{}, "segments is required"],
    [{ segments: {} }, "segments must be a list"],
    [
      { segments: [{ start_seconds: 5, end_seconds: 2, text: "x" }, { start_seconds: -1 }], speaker_map: { 0: 1 } },
      "segments[0].end_seconds is before start_seconds; segments[1].start_seconds must be an integer of at least 0; " +
        "segments[1].text is required; speaker_map.0 must be a string"
    ]
  ])("refuses %j", async (input, message) => {
    const world = await makeSettingsWorld()
    expect((await world.refusal(edit(input))).message).toBe(message)
  })
})
