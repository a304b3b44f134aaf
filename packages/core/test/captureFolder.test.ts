import type { Instant } from "@tapedeck/domain"
import type { Site } from "@tapedeck/domain/capture"
import { CaptureInput, FinishInput, SiteCaptureInput } from "@tapedeck/domain/input"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import {
  type CaptureClaim,
  CaptureSessions,
  CaptureStarts,
  CaptureUploads,
  type JobClaim,
  type MediaClaim,
  MediaJobs,
  Summarizer,
  type SummaryClaim,
  SummaryJobs
} from "../src/index.ts"
import { ada, callerOf, startInstant } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { aFile, makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const webm = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex")
const idleMs = 600_000

const claimed = (world: SettingsWorld, media: number) =>
  world.run(world.store.jobs.claim({ slots: { media }, leaseMs: 60_000 })) as Promise<ReadonlyArray<MediaClaim>>

const withJobs = <A, E>(world: SettingsWorld, use: (media: MediaJobs["Service"]) => Effect.Effect<A, E>) =>
  world.run(Effect.flatMap(MediaJobs, use).pipe(Effect.provide(MediaJobs.layer)))

const heard = {
  language: "en",
  speakerMap: {},
  segments: [{ startSeconds: 0, endSeconds: 1, text: "Hi", sentences: [] }]
}

/** A finished capture of an agent for the folder `vip`, on a server with or without work on media. */
const captured = async (processes: boolean, summarizes = false) => {
  const world = await makeSettingsWorld({
    mediaWork: { processes, transcripts: processes ? "transcriber" : "none", summarizes }
  })
  const recordingUuid = await world.run(
    Effect.gen(function* () {
      const { append, createUpload } = yield* CaptureUploads
      const { beginByAgent } = yield* CaptureStarts
      const { finish } = yield* CaptureSessions
      const { capture } = yield* beginByAgent(callerOf(ada), inputOf(CaptureInput, { folder_id: "vip" }))
      const file = { contentType: "video/webm", metadata: "", part: 0, sizeBytes: null }
      const upload = yield* createUpload(capture.id, file)
      yield* append({ captureId: capture.id, uploadId: upload.id, offset: 0, bytes: Stream.make(webm) })
      yield* finish(capture.id, inputOf(FinishInput, {}))
      return capture.recordingUuid
    })
  )
  const recording = () => world.run(Effect.map(world.store.recordings.byUuid(recordingUuid), (found) => found!))
  /** Those of the folder's webhook. */
  const webhooks = async () => (await world.deliveries()).filter(({ automationId }) => automationId !== null)
  const runDue = async () => {
    const claims = await world.run(world.store.jobs.claim({ slots: { capture: 9 }, leaseMs: 60_000 }))
    for (const claim of claims) await world.run(CaptureSessions.use(({ runJob }) => runJob(claim as CaptureClaim)))
  }
  return { world, recording, webhooks, runDue }
}

describe("The media jobs of a capture", () => {
  const shop: Site = {
    ...{ id: "shop", accountId: ada.accountId, name: "Shop", createdAt: startInstant, key: "shop-key" },
    ...{ origins: ["https://shop.test"], folderId: null, platform: null, isEnabled: true },
    redaction: { headers: [], query_parameters: [], selectors: [], body_urls: [] }
  }

  const jobsOf = (
    world: SettingsWorld,
    start: (
      starts: CaptureStarts["Service"]
    ) => ReturnType<CaptureStarts["Service"]["beginBySite"]> | ReturnType<CaptureStarts["Service"]["beginByAgent"]>
  ) =>
    world.run(
      Effect.gen(function* () {
        const { capture } = yield* start(yield* CaptureStarts)
        const { append, createUpload } = yield* CaptureUploads
        const { finish } = yield* CaptureSessions
        const file = { contentType: "video/webm", metadata: "", part: 0, sizeBytes: null }
        const upload = yield* createUpload(capture.id, file)
        yield* append({ captureId: capture.id, uploadId: upload.id, offset: 0, bytes: Stream.make(webm) })
        yield* finish(capture.id, inputOf(FinishInput, {}))
        return yield* world.store.jobs.byIds(
          ["transcribe", "process"].map((kind) => `${kind} ${capture.recordingUuid}`)
        )
      })
    )

  it("wait in the queue of its site, if it has one, and allow a minute more than its duration", async () => {
    const world = await makeSettingsWorld({ mediaWork: { processes: true, transcripts: "transcriber" } })
    await world.run(world.store.sites.save(shop))
    const ofAgent = await jobsOf(world, (of) =>
      of.beginByAgent(callerOf(ada), inputOf(CaptureInput, { max_duration_seconds: 60 }))
    )
    const ofSite = await jobsOf(world, (of) => of.beginBySite(shop.key, inputOf(SiteCaptureInput, {}), null, null))
    for (const [jobs, queueKey, maxSeconds] of [
      [ofAgent, "media:1:", 120],
      [ofSite, "media:1:shop", 1_860]
    ] as const) {
      expect(jobs.map(({ kind }) => kind)).toEqual(["transcribe", "process"])
      for (const job of jobs) expect(job).toMatchObject({ queueKey, maxSeconds })
    }
  })
})

describe("A finished capture", () => {
  it("enters its folder with the last of its media jobs, so that the webhook has duration and thumbnail", async () => {
    const { recording, runDue, webhooks, world } = await captured(true)
    expect(await recording()).toMatchObject({ folderId: null, transcript: { status: "processing" } })
    const claims = await claimed(world, 9)
    const of = (kind: string) => claims.find(({ job }) => job.kind === kind)!
    const thumbnail = aFile("still")
    await withJobs(world, (media) =>
      media.processed(of("process"), { durationSeconds: 42, processed: aFile("playable"), thumbnail })
    )
    expect((await recording()).folderId).toBeNull()
    expect(await webhooks()).toEqual([])
    await withJobs(world, (media) => media.transcribed(of("transcribe"), heard))
    await runDue()
    expect(await recording()).toMatchObject({ folderId: "vip", durationSeconds: 42, transcript: { status: "ready" } })
    const [webhook, ...more] = await webhooks()
    expect(more).toEqual([])
    expect(JSON.parse(webhook!.body)).toMatchObject({
      recording: { duration: 42, thumbnail_url: expect.stringContaining("/thumbnail") }
    })
  })

  it("enters it with the title that is generated from its transcript, so that the webhook has it", async () => {
    const { recording, runDue, webhooks, world } = await captured(true, true)
    for (const claim of await claimed(world, 9)) {
      if (claim.job.kind === "process") await withJobs(world, (media) => media.failed(claim, { again: false }))
      else await withJobs(world, (media) => media.transcribed(claim, heard))
    }
    await runDue()
    expect((await recording()).folderId).toBeNull()
    const [claim] = await claimed(world, 1)
    const summarizer = Summarizer.of({ summarize: () => Effect.succeed('{"title": "Pay fails"}') })
    await world.run(
      SummaryJobs.use(({ run }) => run(claim as JobClaim as SummaryClaim, { summarizer, maxCharacters: 100 })).pipe(
        Effect.provide(SummaryJobs.layer)
      )
    )
    await runDue()
    expect(await recording()).toMatchObject({ folderId: "vip", title: "Pay fails" })
    const [webhook] = await webhooks()
    expect(JSON.parse(webhook!.body)).toMatchObject({ recording: { title: "Pay fails" } })
  })

  it("enters it after ten minutes at the latest, and only once", async () => {
    const { recording, runDue, webhooks, world } = await captured(true)
    await world.setTime((startInstant + idleMs - 1) as Instant)
    await runDue()
    expect((await recording()).folderId).toBeNull()
    await world.setTime((startInstant + idleMs) as Instant)
    await runDue()
    expect(await recording()).toMatchObject({ folderId: "vip", durationSeconds: null })
    const [claim] = await claimed(world, 1)
    await withJobs(world, (media) => media.failed(claim!, { again: false }))
    await runDue()
    expect(await webhooks()).toHaveLength(1)
  })

  it("enters it when the work on its video is given up", async () => {
    const { recording, runDue, world } = await captured(true)
    for (const claim of await claimed(world, 9)) {
      expect(await withJobs(world, (media) => media.failed(claim, { again: false }))).toBe("given_up")
    }
    await runDue()
    expect((await recording()).folderId).toBe("vip")
  })

  it("enters it at once without work on media", async () => {
    const { recording, webhooks } = await captured(false)
    expect((await recording()).folderId).toBe("vip")
    expect(await webhooks()).toHaveLength(1)
  })
})
