import { describe, expect, it } from "vitest"
import { filenameOf } from "../src/Download.ts"
import { ConnectionError, NotFoundError, TimeoutError } from "../src/index.ts"
import { makeClient, reply, settle } from "./support/fake.ts"

const headers = {
  "content-type": "video/webm",
  "content-length": "5",
  etag: '"v1"',
  "content-disposition": `attachment; filename="Kasse.webm"; filename*=UTF-8''K%C3%A4sse.webm`
}

describe("the name in Content-Disposition (RFC 6266)", () => {
  it.each([
    ["attachment; filename=a.mp4", "a.mp4"],
    ["attachment; filename=a.mp4; size=5", "a.mp4"],
    ['attachment; filename="a b.mp4"', "a b.mp4"],
    ['attachment; filename="a\\"b.mp4"', 'a"b.mp4'],
    ['attachment; filename="a;b.mp4"; size=5', "a;b.mp4"],
    ['attachment ; FileName = "a.mp4"', "a.mp4"],
    [`attachment; filename="plain.mp4"; filename*=UTF-8''K%C3%A4se.mp4`, "Käse.mp4"],
    [`attachment; filename*=utf-8'de'K%c3%a4se.mp4; filename="plain.mp4"`, "Käse.mp4"],
    [`attachment; filename*=ISO-8859-1''K%E4se.mp4`, "Käse.mp4"],
    [`attachment; filename*=UTF-8''%FF.mp4; filename=plain.mp4`, "plain.mp4"],
    [`attachment; filename*=koi8-r''%C1.mp4; filename=plain.mp4`, "plain.mp4"],
    [`attachment; filename*=UTF-8''a%2; filename=plain.mp4`, "plain.mp4"],
    ['attachment; xfilename="x.mp4"', undefined],
    ['attachment; title="filename=x.mp4"', undefined],
    ['attachment; note="; filename=x.mp4"; filename=a.mp4', "a.mp4"],
    ["attachment; filename=a.mp4; filename=b.mp4", "a.mp4"],
    ['attachment; filename=""', undefined],
    ['attachment; filename="../../etc/passwd"', "passwd"],
    ["attachment; filename*=UTF-8''..%2F..%2Fa.mp4", "a.mp4"],
    ['attachment; filename=".."', undefined],
    ["attachment", undefined],
    ["", undefined],
    [null, undefined]
  ])("%s: %s", (disposition, name) => {
    expect(filenameOf(disposition)).toBe(name)
  })
})

describe("a download", () => {
  it("returns the bytes as a stream, with type, size and name", async () => {
    const { seen, tapedeck } = makeClient([reply(200, "bytes", headers)])
    const video = await tapedeck.recordings.download("r")
    expect(video).toMatchObject({ contentType: "video/webm", sizeBytes: 5, filename: "Kässe.webm", etag: '"v1"' })
    expect(await new Response(video.body).text()).toBe("bytes")
    expect(seen[0]?.url.pathname).toBe("/api/v2/recordings/r/download")
  })

  it("returns a range of the same version", async () => {
    const part = reply(206, "yte", { ...headers, "content-length": "3", "content-range": "bytes 1-3/5" })
    const { seen, tapedeck } = makeClient([reply(200, "bytes", headers), part])
    const video = await tapedeck.recordings.download("r")
    await video.body.cancel()
    const range = await video.range(1, 3)
    expect(new TextDecoder().decode(await range.bytes())).toBe("yte")
    expect(range.sizeBytes).toBe(5)
    expect(seen[1]?.headers.get("range")).toBe("bytes=1-3")
    expect(seen[1]?.headers.get("if-range")).toBe('"v1"')
  })

  it("refuses a range of another version", async () => {
    const { tapedeck } = makeClient([reply(200, "bytes", headers), reply(200, "other", { ...headers, etag: '"v2"' })])
    const video = await tapedeck.recordings.download("r")
    await expect(video.range(1)).rejects.toThrow("The file has changed since the download started")
  })

  it("fails before the first byte as other calls do", async () => {
    const { tapedeck } = makeClient([reply(404, { error: "Recording not found" })])
    await expect(tapedeck.recordings.download("r")).rejects.toThrow(NotFoundError)
  })

  it("fails its stream with ConnectionError if the connection breaks", async () => {
    const cut = () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(new Uint8Array(1))
          },
          pull: (controller) => controller.error(new TypeError("terminated"))
        })
      )
    const { tapedeck } = makeClient([cut])
    const video = await tapedeck.recordings.download("r")
    await expect(video.bytes()).rejects.toThrow(ConnectionError)
  })

  it("times out between two chunks, but not while its reader is slow", async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    const { clock, tapedeck } = makeClient(
      [
        (_, signal) => {
          signal.addEventListener("abort", () => controller?.error(signal.reason))
          const start = (given: ReadableStreamDefaultController<Uint8Array>) => {
            controller = given
            given.enqueue(new Uint8Array(1))
          }
          return new Response(new ReadableStream({ start }))
        }
      ],
      { timeoutMs: 1000 }
    )
    const reader = (await tapedeck.recordings.download("r")).body.getReader()
    clock.advance(5000)
    expect((await reader.read()).value).toHaveLength(1)
    const next = reader.read()
    next.catch(() => {})
    let isOver = false
    next
      .finally(() => {
        isOver = true
      })
      .catch(() => {})
    await settle(() => clock.pending === 1)
    clock.advance(5000)
    clock.advance(1000)
    await settle(() => isOver)
    await expect(next).rejects.toThrow(TimeoutError)
    expect(clock.pending).toBe(0)
  })
})
