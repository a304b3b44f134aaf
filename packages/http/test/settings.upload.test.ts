import { StorageFull, storeLayer, VideoUploads } from "@tapedeck/core"
import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeSettings } from "./settingsWorld.ts"
import { handler } from "./world.ts"

describe("uploading a video", () => {
  const at = `PUT /recordings/${ids.bobs}/video`
  const stream = (pieces: ReadonlyArray<string>, error?: Error) =>
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(Buffer.from(piece))
        if (error === undefined) controller.close()
        else controller.error(error)
      }
    })

  it("keeps the bytes and the type, which the download returns, in v2 too", async () => {
    const world = await makeSettings()
    const headers = { "content-type": "video/webm; codecs=vp9" }
    const uploaded = await world.ask(at, { as: "bob", body: stream(["abc", "def"]), headers })
    expect(uploaded).toMatchObject({
      status: 200,
      body: {
        video: { original: { content_type: "video/webm; codecs=vp9", size_bytes: 6 }, processed: null, edited: null }
      }
    })
    const downloaded = await world.ask(`GET /recordings/${ids.bobs}/video`, {
      as: "bob",
      headers: { range: "bytes=1-3" }
    })
    expect(downloaded.status).toBe(206)
    expect(downloaded.headers.get("content-type")).toBe("video/webm")
    expect(Buffer.from(downloaded.body).toString()).toBe("bcd")
    const v2 = await world.fetch(`/api/v2/recordings/${ids.bobs}/download`, { as: "bob" })
    expect(await v2.text()).toBe("abcdef")
  })

  it("stores the processed or edited file if `version` names it; another version is 400", async () => {
    const world = await makeSettings()
    const uploaded = await world.ask(`${at}?version=edited`, { as: "bob", body: stream(["edited"]) })
    expect(uploaded).toMatchObject({ status: 200, body: { video: { edited: { size_bytes: 6 } } } })
    expect(uploaded.body.video.original).not.toBeNull()
    const v2 = await world.fetch(`/api/v2/recordings/${ids.bobs}/download`, { as: "bob" })
    expect(await v2.text()).toBe("edited")
    expect(await world.ask(`${at}?version=thumbnail`, { body: stream(["x"]) })).toMatchObject({ status: 400 })
  })

  it("accepts more bytes than JSON may have, also without a type", async () => {
    const { ask } = await makeSettings()
    const body = new Uint8Array(2 * 1024 * 1024)
    const uploaded = await ask(at, { body })
    expect(uploaded.body.video.original).toEqual({
      content_type: "application/octet-stream",
      size_bytes: 2 * 1024 * 1024
    })
  })

  it.each([
    [{ body: "" }, 400, "The body must not be empty"],
    [{ body: stream(["abc"], new Error("gone")) }, 400, "The body is incomplete"],
    [{ body: "x", headers: { "content-type": "video" } }, 415, "Content-Type must be a media type such as video/webm"],
    [{ body: "x", headers: { "content-encoding": "gzip" } }, 415, "The file must come without a Content-Encoding"]
  ])("is refused, and the previous file stays: %#", async (sent, status, error) => {
    const { ask } = await makeSettings()
    expect(await ask(at, sent)).toMatchObject({ status, body: { error } })
    const { original } = (await ask(`GET /recordings/${ids.bobs}`)).body.video
    expect(original).toEqual({ content_type: "video/webm", size_bytes: 14 })
  })

  const webm = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d4287810242858102", "hex")

  it("is served with the type of its first bytes, not with its declared type", async () => {
    const { ask } = await makeSettings()
    const uploaded = await ask(at, { body: new Uint8Array(webm), headers: { "content-type": "text/html" } })
    expect(uploaded.body.video.original).toEqual({ content_type: "video/webm", size_bytes: webm.length })
    const downloaded = await ask(`GET /recordings/${ids.bobs}/video`)
    expect(downloaded.headers.get("content-type")).toBe("video/webm")
  })

  it.each([
    ["script", null, null],
    ["none", "no_transcriber", "no_transcriber"],
    ["transcriber", "no_video", null]
  ] as const)(
    "with transcripts by %s, says that a request is blocked by %s, and with a video by %s",
    async (...given) => {
      const [transcripts, before, after] = given
      const world = await makeSettings({ config: { mediaWork: { processes: false, transcripts } } })
      const { uuid } = (await world.ask("POST /recordings", { json: {} })).body
      const blocked = async () => (await world.ask(`GET /recordings/${uuid}/transcript`)).body.request_blocked_by
      expect(await blocked()).toBe(before)
      await world.ask(`PUT /recordings/${uuid}/video`, {
        body: new Uint8Array(webm),
        headers: { "content-type": "video/webm" }
      })
      expect(await blocked()).toBe(after)
    }
  )

  const putWith = async (context: Context.Context<never>, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: "Bearer ada-session", "content-type": "video/webm" }
    const init = { method: "PUT", headers, body }
    const response = await handler(
      new Request(`http://x/api/settings/recordings/${ids.bobs}/video`, init),
      context as Parameters<typeof handler>[1]
    )
    return [response.status, ((await response.json()) as { error?: string }).error]
  }

  it("answers 422 for a file that is no video if the policy requires videos, as on the server", async () => {
    const { context: strict } = await makeSettings({ unknownContent: "refused" })
    expect(await putWith(strict, "sixteen bytes it")).toEqual([422, expect.stringMatching(/^The file is no video/)])
    expect(await putWith(strict, new Uint8Array(webm))).toEqual([200, undefined])
  })

  it("answers 507 if there is no space; the path is only in the log", async () => {
    const world = await makeSettings()
    const { store } = world.memory
    const full = {
      ...store,
      files: { ...store.files, write: () => Effect.die(new StorageFull({ path: "/data/tmp" })) }
    }
    const settings = await world.run(
      Effect.scoped(
        Effect.map(
          Layer.build(Layer.fresh(VideoUploads.layer).pipe(Layer.provide(storeLayer(full)))),
          Context.get(VideoUploads)
        )
      ).pipe(Effect.provideContext(world.context))
    )
    const answer = await putWith(Context.add(world.context, VideoUploads, settings), "x")
    expect(answer).toEqual([507, "There is not enough storage space left"])
    expect(world.defects.join()).toContain("/data/tmp")
  })

  it("has a limit: by its declared length before 401, by its bytes otherwise", async () => {
    const { context } = await makeSettings({ config: { maxUploadBytes: 5 } })
    const put = async (body: string | ReadableStream, headers: Record<string, string>) => {
      const init = { method: "PUT", headers, body, duplex: "half" } as RequestInit
      const response = await handler(new Request(`http://x/api/settings/recordings/${ids.bobs}/video`, init), context)
      return [response.status, ((await response.json()) as { error?: string }).error]
    }
    const authorization = "Bearer ada-session"
    expect(await put("123456", { "content-length": "6" })).toEqual([413, "The file is larger than 5 bytes"])
    expect(await put(stream(["123", "456"]), { authorization })).toEqual([413, "The file is larger than 5 bytes"])
    expect(await put("12345", { authorization })).toEqual([200, undefined])
  })
})
