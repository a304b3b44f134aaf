import {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  type Settings,
  Tapedeck,
  UnauthorizedError,
  UnprocessableEntityError
} from "@tapedeck/client"
import * as Effects from "@tapedeck/client/effect"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { blackbox, type Running, type Target } from "../../support/target.ts"
import { webm } from "../../support/webm.ts"
import { onStores } from "../targets.ts"

/** The client of TypeScript integrators, against a real service. */

const video = webm(2264)

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "The client", () => {
    let running: Running
    let tapedeck: Tapedeck
    beforeAll(async () => {
      const segments = Array.from({ length: 120 }, (_, n) => ({ start_seconds: n, end_seconds: n + 1, text: `s${n}` }))
      const rest = Array.from({ length: 150 }, (_, n) => ({ uuid: uuid(n + 10), title: `R ${n}` }))
      const first = {
        uuid: uuid(1),
        title: "Checkout fails",
        user: "bob@acme.test",
        helpdesk: { platform: "zendesk", ticket_id: "4711" },
        video: { original: { base64: video.toString("base64"), content_type: "video/webm" } },
        transcript: { language: "en", processed: segments, script: [{ at: "PT0S", status: "ready" }] }
      }
      const folders = [{ id: "vip", name: "VIP" }]
      running = await target.start(acme({ recordings: [first, ...rest], folders }))
      tapedeck = new Tapedeck({ baseUrl: running.baseUrl, token: ada })
    }, 60_000)

    describe("v2 and v1", () => {
      test("iterates all recordings, page by page", async () => {
        const uuids = new Set<string>()
        for await (const recording of tapedeck.recordings.list()) uuids.add(recording.uuid)
        expect(uuids.size).toBe(151)
        const page = await tapedeck.recordings.list({ page: 2 })
        expect(page.pagination).toMatchObject({ count: 151, page: 2, pages: 2, prev_page: 1 })
        expect(await page.nextPage()).toBeNull()
        expect(await tapedeck.v1.recordings.list().all({ limit: 101 })).toHaveLength(101)
      })

      test("finds a ticket's recordings, gets and changes one", async () => {
        const found = await tapedeck.recordings.list({ ticket_id: "4711", provider: "zendesk" })
        expect(found.records.map((one) => [one.uuid, one.user?.email])).toEqual([[uuid(1), "bob@acme.test"]])
        const changed = await tapedeck.recordings.update(uuid(1), { title: "Paid", summary: null })
        expect(changed).toEqual(await tapedeck.recordings.get(uuid(1)))
        expect(changed.title).toBe("Paid")
        expect((await tapedeck.v1.recordings.get(uuid(1))).title).toBe("Paid")
      })

      test("reads all segments of a transcript", async () => {
        const texts: Array<string> = []
        for await (const { text } of tapedeck.recordings.transcript(uuid(1))) texts.push(text)
        expect(texts).toEqual(Array.from({ length: 120 }, (_, n) => `s${n}`))
      })

      test("downloads a video, and a range of it", async () => {
        const download = await tapedeck.recordings.download(uuid(1))
        expect(download).toMatchObject({ contentType: "video/webm", sizeBytes: video.length })
        expect(download.filename).toMatch(/\.webm$/)
        expect(Buffer.from(await download.bytes())).toEqual(video)
        const part = await download.range(4, 9)
        expect(Buffer.from(await part.bytes())).toEqual(video.subarray(4, 10))
        expect(part.sizeBytes).toBe(video.length)
      })

      test("finds users by e-mail address", async () => {
        expect(await tapedeck.users.search("BOB@acme.test")).toMatchObject({ name: "Bob", role: "member" })
        expect((await tapedeck.users.list()).users.length).toBeGreaterThan(1)
      })

      test("throws each refusal as its class, with the request's id", async () => {
        const member = { token: bob }
        await expect(tapedeck.recordings.get(uuid(1), { token: "unknown" })).rejects.toThrow(UnauthorizedError)
        await expect(tapedeck.users.list({}, member)).rejects.toThrow(ForbiddenError)
        await expect(tapedeck.recordings.get(uuid(9))).rejects.toThrow(NotFoundError)
        await expect(tapedeck.recordings.list({ page: 0 })).rejects.toThrow(BadRequestError)
        await expect(tapedeck.recordings.download(uuid(10))).rejects.toThrow(ConflictError)
        const error = await tapedeck.recordings.update(uuid(1), { title: " " }).catch((caught: unknown) => caught)
        expect(error).toBeInstanceOf(UnprocessableEntityError)
        expect((error as UnprocessableEntityError).message).toContain("title")
        expect((error as UnprocessableEntityError).requestId).toMatch(/\S/)
      })
    })

    describe("the settings API", () => {
      test("makes a folder and an automation, fires it and reads the log", async () => {
        const { automations, folders, recordings } = tapedeck.settings
        const folder = await folders.create({ name: "Urgent" })
        const automation = await automations.create({ folder_id: folder.id, url: "https://hooks.invalid/x" })
        expect(automation).toMatchObject({ method: "POST", enabled: true })
        const recording = await recordings.create({ title: "New" })
        const moved = await recordings.move(recording.uuid, { folder_id: folder.id })
        expect(moved.folder_id).toBe(folder.id)
        const log = await automations.listDeliveries(automation.id)
        expect(log.deliveries.map((one: Settings.Delivery) => one.recording_uuid)).toEqual([recording.uuid])
        expect((await folders.listRecordings(folder.id)).records).toHaveLength(1)
        expect(await automations.delete(automation.id)).toBeUndefined()
        await expect(automations.get(automation.id)).rejects.toThrow(NotFoundError)
      })

      test("uploads a video in one PUT, and imports a transcript as text", async () => {
        const { recordings, transcripts } = tapedeck.settings
        const { uuid } = await recordings.create({ title: "Upload" })
        const uploaded = await recordings.upload(
          uuid,
          new Blob([new Uint8Array(video)]),
          {},
          { contentType: "video/webm" }
        )
        expect(uploaded.video.original).toEqual({ content_type: "video/webm", size_bytes: video.length })
        const vtt = "WEBVTT\n\n00:01.250 --> 00:03.001\nHello\n"
        const transcript = await transcripts.import(uuid, vtt, { contentType: "text/vtt" })
        expect(transcript.segments.map(({ text }) => text)).toEqual(["Hello"])
      })

      test("uploads in parts, and resumes an upload", async () => {
        const { uuid } = await tapedeck.settings.recordings.create({ title: "Parts" })
        const abort = new AbortController()
        const upload = await tapedeck.uploads.start(uuid, video, {
          contentType: "video/webm",
          chunkSizeBytes: Math.ceil(video.length / 3),
          signal: abort.signal,
          onProgress: () => abort.abort(new Error("the page was closed"))
        })
        await expect(upload.done).rejects.toThrow("the page was closed")
        const resumed = await tapedeck.uploads.resume(upload.state, video)
        const recording = await resumed.done
        expect(recording.video.original?.size_bytes).toBe(video.length)
        const download = await tapedeck.recordings.download(uuid)
        expect(Buffer.from(await download.bytes())).toEqual(video)
      })
    })

    describe("as Effects", () => {
      const run = <A, E>(use: (client: Effects.Tapedeck["Service"]) => Effect.Effect<A, E>): Promise<A> => {
        const options = { baseUrl: running.baseUrl, token: ada }
        const layer = Effects.Tapedeck.layer(options).pipe(Layer.provide(FetchHttpClient.layer))
        return Effect.runPromise(Effect.provide(Effect.flatMap(Effects.Tapedeck, use), layer))
      }

      test("streams lists, decodes answers, and fails with the contract's errors", async () => {
        const texts = await run(({ recordings }) => Stream.runCollect(recordings.transcript(uuid(1))))
        expect(texts.map(({ text }) => text)).toEqual(Array.from({ length: 120 }, (_, n) => `s${n}`))
        const found = await run(({ v1 }) => v1.recordings.get(uuid(1)))
        expect(found).toEqual(await tapedeck.v1.recordings.get(uuid(1)))
        const refused = await run(({ recordings }) => Effect.flip(recordings.update(uuid(1), { title: " " })))
        expect(refused).toMatchObject({ _tag: "Unprocessable", message: expect.stringContaining("title") })
        const none = await run(({ recordings }) => Effect.flip(recordings.download(uuid(10))))
        expect(none._tag).toBe("Conflict")
      })

      test("uploads and downloads a video, and repeats a POST by its key", async () => {
        const bytes = await run(({ recordings, settings }) =>
          Effect.gen(function* () {
            const made = yield* settings.recordings.create({ title: "Video" }, { idempotencyKey: "made-once" })
            const again = yield* settings.recordings.create({ title: "Video" }, { idempotencyKey: "made-once" })
            expect(again).toEqual(made)
            yield* settings.recordings.upload(made.uuid, Stream.make(video), {}, { contentType: "video/webm" })
            const download = yield* recordings.download(made.uuid)
            const part = yield* download.range(4, 9)
            return [yield* Stream.mkUint8Array(download.stream), yield* Stream.mkUint8Array(part.stream)]
          })
        )
        expect(bytes.map((one) => Buffer.from(one))).toEqual([video, video.subarray(4, 10)])
      })
    })
  })
