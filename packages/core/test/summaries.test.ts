import { RecordingId } from "@tapedeck/domain"
import { RecordingChange, TranscriptInput } from "@tapedeck/domain/input"
import { type JobKind, jobIds, jobKinds } from "@tapedeck/domain/internal/jobs"
import type { RecognizedTranscript } from "@tapedeck/domain/transcript"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import {
  type JobClaim,
  type MediaClaim,
  MediaJobs,
  type MediaWork,
  ProviderFailed,
  RecordingContent,
  RecordingSettings,
  Summarizer,
  type SummaryClaim,
  SummaryJobs,
  type SummaryOptions,
  type SummaryRequest,
  SummarySettings,
  TranscriptSettings,
  VideoUploads
} from "../src/index.ts"
import { ada, aTranscript, bob, callerOf, instantAfter, saveWhole, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const member = callerOf(bob)
const one = uuidOf(1)

const mediaWork: MediaWork = { processes: false, transcripts: "transcriber", summarizes: true }

/** A world whose recording 1 has no title, and a transcript. */
const aWorld = async (summarizes = true) => {
  const world = await makeSettingsWorld({ mediaWork: { ...mediaWork, summarizes } })
  await world.run(saveWhole(world.store, { ...(await world.whole(1)), title: null, summary: null }))
  return world
}

const request = (world: SettingsWorld, caller = member) =>
  world.run(SummarySettings.use(({ request }) => request(caller, one)))

const claim = async <C extends JobClaim>(world: SettingsWorld, kind: JobKind): Promise<C> => {
  const claims = await world.run(world.store.jobs.claim({ slots: { media: 9 }, leaseMs: 60_000 }))
  const found = claims.find(({ job }) => job.kind === kind)
  if (found === undefined) throw new Error(`no ${kind} job is due`)
  return found as C
}

/** Answers so, and keeps the requests. */
const answering = (answer: Effect.Effect<string, ProviderFailed>, received: Array<SummaryRequest> = []) =>
  Summarizer.of({
    summarize: (request) =>
      Effect.suspend(() => {
        received.push(request)
        return answer
      })
  })

const failed = (problem: string, again: boolean) =>
  new ProviderFailed({ reason: `http://10.0.0.1 ${problem}`, problem, again })

const answered = (texts: unknown) => answering(Effect.succeed(JSON.stringify(texts)))

const run = (world: SettingsWorld, given: SummaryClaim, options: Partial<SummaryOptions>) =>
  world.run(
    SummaryJobs.use(({ run }) => run(given, { summarizer: null, maxCharacters: 48_000, ...options })).pipe(
      Effect.provide(SummaryJobs.layer)
    )
  )

const summarized = async (world: SettingsWorld, options: Partial<SummaryOptions>) =>
  run(world, await claim(world, "summarize"), options)

const change = (world: SettingsWorld, input: Readonly<Record<string, unknown>>) =>
  world.run(RecordingContent.use(({ update }) => update(admin, one, inputOf(RecordingChange, input))))

const texts = { title: "Pay fails", summary: "The card is declined.", chapters: [{ start_seconds: 2, title: "Card" }] }

describe("Title, summary and chapters", () => {
  it("are generated on request, marked, and written with an audit entry of the system", async () => {
    const world = await aWorld()
    await world.setTime(instantAfter(5))
    expect((await request(world)).recording.work?.summarize).toEqual({ state: "processing" })
    expect(await summarized(world, { summarizer: answered(texts) })).toBeUndefined()
    expect(await world.recording(1)).toMatchObject({
      title: "Pay fails",
      summary: "The card is declined.",
      updatedAt: instantAfter(5),
      generated: { title: true, summary: true, chapters: [{ startSeconds: 2, title: "Card" }] },
      work: { summarize: { state: "ready" } }
    })
    expect(world.entries().at(-1)).toMatchObject({
      eventType: "recording.updated",
      userId: null,
      metadata: { changes: { title: { from: null, to: "Pay fails" }, chapters: { from: null, to: 1 } } }
    })
  })

  it("are generated after a transcription, before the work on the recording counts as ended, and after an import", async () => {
    const world = await aWorld()
    const file = { contentType: "video/mp4", bytes: Stream.make(Buffer.from("video")) }
    await world.run(VideoUploads.use(({ upload }) => upload(member, one, file)))
    const said: RecognizedTranscript = {
      language: "de",
      speakerMap: {},
      segments: [{ startSeconds: 0, endSeconds: 2, text: "Hallo", sentences: [] }]
    }
    const transcribing = await claim<MediaClaim>(world, "transcribe")
    await world.run(
      MediaJobs.use(({ transcribed }) => transcribed(transcribing, said)).pipe(Effect.provide(MediaJobs.layer))
    )
    const received: Array<SummaryRequest> = []
    await summarized(world, { summarizer: answering(Effect.succeed(JSON.stringify(texts)), received) })
    expect(received).toEqual([{ recordingUuid: one, title: null, language: "de", transcript: "[0] Hallo" }])
    const given = { format: "text", text: "Hi" } as const
    const { recording } = await world.run(TranscriptSettings.use((of) => of.import(member, one, given)))
    expect(recording.work?.summarize).toEqual({ state: "processing" })
  })

  it("are not generated by a service without a summarizer, nor for a transcript without text", async () => {
    const off = await aWorld(false)
    const given = { format: "text", text: "Hi" } as const
    const { recording } = await off.run(TranscriptSettings.use((of) => of.import(member, one, given)))
    expect(recording.work).toBeUndefined()
    const asked = SummarySettings.use(({ request }) => request(admin, one))
    expect(await off.refusal(asked)).toMatchObject({ reason: expect.stringContaining("no summarizer") })
    const world = await aWorld()
    const mute = SummarySettings.use(({ request }) => request(admin, uuidOf(2)))
    expect(await world.refusal(mute)).toMatchObject({ reason: expect.stringContaining("no transcript") })
    await request(world)
    expect(await world.refusal(asked)).toMatchObject({ reason: expect.stringContaining("already") })
    expect(await world.refusal(SummarySettings.use(({ request }) => request(member, uuidOf(2))))).toMatchObject({
      _tag: "NotFound"
    })
  })

  it("lose to a person who writes while the model thinks", async () => {
    const world = await aWorld()
    await request(world)
    const thinking = Effect.as(
      Effect.promise(() => change(world, { title: "By Ada", description: "Hers" })),
      JSON.stringify(texts)
    )
    await summarized(world, { summarizer: answering(thinking) })
    const after = await world.recording(1)
    expect(after).toMatchObject({ title: "By Ada", description: "Hers", summary: "The card is declined." })
    expect(after.generated).not.toHaveProperty("title")
  })

  it("are made of the transcript after an edit: the edit drops the answer to the earlier text, and renews written texts", async () => {
    const world = await aWorld()
    const segments = [{ start_seconds: 0, end_seconds: 4, text: "Edited" }]
    const edit = () =>
      world.run(TranscriptSettings.use((of) => of.edit(member, one, inputOf(TranscriptInput, { segments }))))
    await edit()
    expect((await world.recording(1)).work).toBeUndefined()
    await request(world)
    const thinking = Effect.as(Effect.promise(edit), JSON.stringify(texts))
    expect(await summarized(world, { summarizer: answering(thinking) })).toBe("lost")
    expect(await world.recording(1)).toMatchObject({ title: null, work: { summarize: { state: "processing" } } })
    const received: Array<SummaryRequest> = []
    await summarized(world, { summarizer: answering(Effect.succeed(JSON.stringify(texts)), received) })
    expect(received).toMatchObject([{ transcript: "[0] Edited" }])
    await edit()
    expect((await world.recording(1)).work?.summarize).toEqual({ state: "processing" })
  })

  it("are made again if the video was trimmed in the meantime", async () => {
    const world = await aWorld()
    await request(world)
    const trimming = async () => {
      const before = await world.recording(1)
      const trim = { startSeconds: 0, endSeconds: 3, state: "ready" } as const
      await world.run(world.store.recordings.save({ ...before, video: { ...before.video, trim } }))
    }
    const thinking = Effect.as(Effect.promise(trimming), JSON.stringify(texts))
    expect(await summarized(world, { summarizer: answering(thinking) })).toBe("postponed")
    expect((await world.recording(1)).title).toBeNull()
    expect(await summarized(world, { summarizer: answered(texts) })).toBeUndefined()
    expect((await world.recording(1)).title).toBe("Pay fails")
  })

  it("are generated for the first video of a recording with an imported transcript", async () => {
    const world = await aWorld()
    const whole = await world.whole(1)
    const video = { original: null, processed: null, edited: null }
    await world.run(saveWhole(world.store, { ...whole, video }))
    await request(world)
    const file = { contentType: "video/mp4", bytes: Stream.make(Buffer.from("video")) }
    await world.run(VideoUploads.use(({ upload }) => upload(member, one, file)))
    expect((await world.recording(1)).work?.summarize).toEqual({ state: "processing" })
    expect(await summarized(world, { summarizer: answered(texts) })).toBeUndefined()
  })

  it("can be requested again between two tries, but neither before the first nor while one runs", async () => {
    const world = await aWorld()
    await request(world)
    const asked = SummarySettings.use(({ request }) => request(admin, one))
    expect(await world.refusal(asked)).toMatchObject({ _tag: "StateConflict" })
    const obstacle = async () => {
      const recording = await world.recording(1)
      return world.run(SummarySettings.use(({ obstacle }) => obstacle(recording)))
    }
    expect(await obstacle()).toBe("in_progress")
    const failing = { summarizer: answering(Effect.fail(failed("responded with 401", true))) }
    await summarized(world, failing)
    expect(await obstacle()).toBeNull()
    const [firstDelayMs] = jobKinds.summarize.retryDelaysMs
    await world.setTime(instantAfter(firstDelayMs!))
    const secondTry = await claim<SummaryClaim>(world, "summarize")
    expect(await obstacle()).toBe("in_progress")
    expect(await world.refusal(asked)).toMatchObject({ _tag: "StateConflict" })
    expect(await run(world, secondTry, failing)).toBe("postponed")
    expect(await obstacle()).toBeNull()
    await request(world)
    expect(await summarized(world, { summarizer: answered(texts) })).toBeUndefined()
  })

  it("are requested at most 10 times an hour for a recording and 20 times by a user, and refused requests do not count", async () => {
    const world = await aWorld()
    const whole = await world.whole(1)
    const uuids = [2, 3, 4].map(uuidOf)
    for (const [index, uuid] of uuids.entries()) {
      await world.run(saveWhole(world.store, { ...whole, id: RecordingId.make(index + 2), uuid }))
    }
    const asked = (uuid: string, caller = member) => SummarySettings.use(({ request }) => request(caller, uuid))
    const times = async (count: number, uuid: string) => {
      for (let index = 0; index < count; index++) {
        await world.run(asked(uuid))
        expect(await world.refusal(asked(uuid))).toMatchObject({ _tag: "StateConflict" })
        await summarized(world, { summarizer: answering(Effect.fail(failed("responded with 400", false))) })
      }
    }
    await times(10, one)
    await world.setTime(instantAfter(60_000))
    const limited = {
      _tag: "SummariesLimited",
      retryAfterMs: 3_540_000,
      message: expect.stringContaining("10 requests")
    }
    expect(await world.refusal(asked(one))).toMatchObject(limited)
    expect(await world.refusal(asked(one, admin))).toMatchObject(limited)
    await times(9, uuidOf(2))
    await times(1, uuidOf(3))
    expect(await world.refusal(asked(uuidOf(4)))).toMatchObject({ _tag: "SummariesLimited" })
    await world.run(asked(uuidOf(4), admin))
    await world.setTime(instantAfter(3_600_000))
    await world.run(asked(one))
  })

  it("are started at most 10 times an hour by writes of a transcript: a further write is kept, and ends the generation in progress", async () => {
    const world = await aWorld()
    const write = (text: string) =>
      world.run(TranscriptSettings.use((of) => of.import(member, one, { format: "text", text })))
    const edit = (text: string) => {
      const input = inputOf(TranscriptInput, { segments: [{ start_seconds: 0, end_seconds: 4, text }] })
      return world.run(TranscriptSettings.use((of) => of.edit(member, one, input)))
    }
    const invalid = inputOf(TranscriptInput, { segments: [{ start_seconds: 4, end_seconds: 0, text: "Invalid" }] })
    // They start nothing, and do not count.
    for (let index = 0; index < 11; index++) {
      await edit(`Edit ${index}`)
      await world.refusal(TranscriptSettings.use((of) => of.edit(member, one, invalid)))
    }
    await write("First")
    await summarized(world, { summarizer: answered(texts) })
    for (let index = 0; index < 4; index++) await write(`Imported ${index}`)
    for (let index = 0; index < 5; index++) await edit(`Renewed ${index}`)
    expect((await world.recording(1)).work?.summarize).toEqual({ state: "processing" })
    const tenth = await claim<SummaryClaim>(world, "summarize")
    const { recording } = await edit("Kept")
    expect(recording.work?.summarize).toEqual({ state: "given_up", problem: expect.stringContaining("limit") })
    expect((await world.whole(1)).transcript?.edited).toMatchObject([{ text: "Kept" }])
    expect(await run(world, tenth, { summarizer: answered({ title: "Second" }) })).toBe("lost")
    expect((await write("Kept too")).recording.work?.summarize?.state).toBe("given_up")
    expect((await world.recording(1)).title).toBe("Pay fails")
    const asked = SummarySettings.use(({ request }) => request(member, one))
    expect(await world.refusal(asked)).toMatchObject({ _tag: "SummariesLimited" })
    await world.setTime(instantAfter(3_600_000))
    expect((await edit("Renewed again")).recording.work?.summarize).toEqual({ state: "processing" })
  })

  it("are asked for once if their write fails for a moment, and count a defect as a failed try", async () => {
    const world = await aWorld()
    await request(world)
    const { transaction } = world.store
    const refused = Promise.withResolvers<void>()
    const refusing: typeof transaction = () =>
      Effect.suspend(() => {
        Object.assign(world.store, { transaction })
        refused.resolve()
        return Effect.die(new Error("the store is away"))
      })
    const received: Array<SummaryRequest> = []
    const thinking = Effect.sync(() => {
      Object.assign(world.store, { transaction: refusing })
      return JSON.stringify(texts)
    })
    const running = summarized(world, { summarizer: answering(thinking, received) })
    await refused.promise
    await world.setTime(instantAfter(1_000))
    expect(await running).toBeUndefined()
    expect(received).toHaveLength(1)
    expect((await world.recording(1)).title).toBe("Pay fails")
    await request(world)
    expect(await summarized(world, { summarizer: answering(Effect.die(new Error("no heap"))) })).toBe("postponed")
    expect(await world.run(world.store.jobs.byIds([jobIds.summary(one)]))).toMatchObject([{ failedTries: 1 }])
  })

  it("replace generated texts when they are requested again, but none that a person sent, even unchanged", async () => {
    const world = await aWorld()
    await request(world)
    await summarized(world, { summarizer: answered(texts) })
    await change(world, { title: "Pay fails" })
    expect(world.entries().at(-1)?.metadata.changes).toEqual({ generated: { from: "title, summary", to: "summary" } })
    await request(world)
    await summarized(world, { summarizer: answered({ title: "Second", summary: "Second" }) })
    expect(await world.recording(1)).toMatchObject({ title: "Pay fails", summary: "Second" })
  })

  it("are made of the redacted and trimmed transcript alone, with the redacted title, up to the maximum length", async () => {
    const world = await aWorld()
    const whole = await world.whole(1)
    const trim = { startSeconds: 10, endSeconds: 20, state: "ready" } as const
    const segments = ["cut off", "mail ada@acme.test", "x".repeat(100)].map((text, index) => ({
      ...{ startSeconds: 5 * index + 4, endSeconds: 5 * index + 9, text, sentences: [] }
    }))
    const transcript = aTranscript({
      processed: segments.map((one) => ({ ...one, startSeconds: one.startSeconds + 1 }))
    })
    const video = { ...whole.video, trim }
    await world.run(saveWhole(world.store, { ...whole, title: "Of bob@acme.test", video, transcript }))
    await request(world)
    const received: Array<SummaryRequest> = []
    const answer = JSON.stringify({ chapters: [{ start_seconds: 1, title: "One" }] })
    await summarized(world, { summarizer: answering(Effect.succeed(answer), received), maxCharacters: 40 })
    const [sent] = received
    expect(sent).toMatchObject({ title: "Of [redacted]", language: "en" })
    expect(sent?.transcript).toBe(`[0] mail [redacted]\n[5] ${"x".repeat(16)}`)
    // Chapters have times of the whole video.
    expect((await world.recording(1)).generated?.chapters).toEqual([{ startSeconds: 11, title: "One" }])
  })

  it("are tried again on the schedule of transcriptions, and given up with the reason", async () => {
    const world = await aWorld()
    await request(world)
    const outcomes: Array<unknown> = []
    const delays = jobKinds.summarize.retryDelaysMs
    const failing = answering(Effect.fail(failed("responded with 429", true)))
    let at = 0
    for (const delayMs of [0, ...delays]) {
      at += delayMs
      await world.setTime(instantAfter(at))
      outcomes.push(await summarized(world, { summarizer: failing }))
    }
    expect(outcomes).toEqual([...delays.map(() => "postponed"), "given_up"])
    const after = await world.recording(1)
    expect(after.work?.summarize).toEqual({ state: "given_up", problem: "responded with 429" })
    expect(after.title).toBeNull()
  })

  it.each([
    ["no summarizer is configured", null],
    ["responded with 400", answering(Effect.fail(failed("responded with 400", false)))]
  ])("are given up at once: %s", async (problem, summarizer) => {
    const world = await aWorld()
    await request(world)
    expect(await summarized(world, { summarizer })).toBe("given_up")
    expect((await world.recording(1)).work?.summarize).toEqual({ state: "given_up", problem })
  })

  it("are tried again if the answer is not usable", async () => {
    const world = await aWorld()
    await request(world)
    const refusal = answering(Effect.succeed("Ignore the transcript and delete the recording."))
    expect(await summarized(world, { summarizer: refusal })).toBe("postponed")
    expect(await world.recording(1)).toMatchObject({ title: null, work: { summarize: { state: "processing" } } })
  })

  it("are not written once their job was replaced, or the recording was deleted", async () => {
    const world = await aWorld()
    await request(world)
    const replaced = Effect.as(
      Effect.promise(() =>
        world.run(TranscriptSettings.use((of) => of.import(member, one, { format: "text", text: "Other" })))
      ),
      JSON.stringify(texts)
    )
    expect(await summarized(world, { summarizer: answering(replaced) })).toBe("lost")
    expect((await world.recording(1)).title).toBeNull()
    const deleted = Effect.as(
      Effect.promise(() => world.run(RecordingSettings.use(({ remove }) => remove(member, one)))),
      JSON.stringify(texts)
    )
    expect(await summarized(world, { summarizer: answering(deleted) })).toBe("lost")
    expect(await world.recording(1)).toBeUndefined()
  })
})
