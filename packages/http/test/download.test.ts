import { beforeAll, describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import type { Sent } from "./shapes.ts"
import { makeWorld, type TestWorld } from "./world.ts"

const path = `/api/v2/recordings/${ids.bobs}/download`

describe("GET /api/v2/recordings/{uuid}/download (R12)", () => {
  let world: TestWorld
  let etag: string
  beforeAll(async () => {
    world = await makeWorld()
    etag = (await world.fetch(path)).headers.get("etag") ?? ""
  })

  it("streams the processed file before the original", async () => {
    const { status, headers, body } = await world.ask(path)
    expect(status).toBe(200)
    expect(body).toBe("0123456789")
    expect(headers.get("content-type")).toBe("video/mp4")
    expect(headers.get("content-length")).toBe("10")
    expect(headers.get("accept-ranges")).toBe("bytes")
    expect(headers.get("content-disposition")).toBe(
      "attachment; filename=\"Checkout fails.mp4\"; filename*=UTF-8''Checkout%20fails.mp4"
    )
    expect(etag).toMatch(/^"[^"]+"$/)
  })

  it.each([
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=4-", "456789", "bytes 4-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=-99", "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", "89", "bytes 8-9/10"],
    ["Bytes=9-9", "9", "bytes 9-9/10"]
  ])("answers %s with 206", async (range, part, contentRange) => {
    const { status, headers, body } = await world.ask(path, { headers: { range } })
    expect(status).toBe(206)
    expect(body).toBe(part)
    expect(headers.get("content-range")).toBe(contentRange)
    expect(headers.get("content-length")).toBe(String(part.length))
    expect(headers.get("etag")).toBe(etag)
  })

  it.each(["bytes=0-1,4-5", "bytes=5-2", "bytes=x-1", "bytes=-", "bytes=", "lines=1-2", "bytes=1-2-3"])(
    "answers %s with the whole file",
    async (range) => {
      const { status, headers, body } = await world.ask(path, { headers: { range } })
      expect(status).toBe(200)
      expect(body).toBe("0123456789")
      expect(headers.get("content-range")).toBe(null)
    }
  )

  it.each(["bytes=10-", "bytes=10-20", "bytes=-0"])("answers %s with 416", async (range) => {
    const { status, headers } = await world.ask(path, { headers: { range } })
    expect(status).toBe(416)
    expect(headers.get("content-range")).toBe("bytes */10")
  })

  it("answers 304 if the caller has the file", async () => {
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { status, headers } = await world.ask(path, { headers: { "if-none-match": ifNoneMatch } })
      expect(status).toBe(304)
      expect(headers.get("etag")).toBe(etag)
    }
    expect((await world.ask(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200)
  })

  it("answers a range only for the file that If-Range names", async () => {
    const range = "bytes=0-3"
    expect((await world.ask(path, { headers: { range, "if-range": etag } })).status).toBe(206)
    expect((await world.ask(path, { headers: { range, "if-range": '"other"' } })).status).toBe(200)
  })

  const other = '"other"'
  const before = "Thu, 01 Jan 1970 00:00:00 GMT"
  const later = "Fri, 01 Jan 2100 00:00:00 GMT"

  it.each([
    ["a tag of another file", () => ({ "if-match": other })],
    ["other tags", () => ({ "if-match": `${other}, "third"` })],
    ["a weak tag", () => ({ "if-match": `W/${etag}` })],
    ["another tag, beside a date that holds", () => ({ "if-match": other, "if-unmodified-since": later })],
    ["another tag, beside If-None-Match", () => ({ "if-match": other, "if-none-match": etag })],
    ["a range of another file", () => ({ "if-match": other, range: "bytes=4-" })],
    ["a range that no file has", () => ({ "if-match": other, range: "bytes=99-" })],
    ["a date before the last change", () => ({ "if-unmodified-since": before })],
    ["that date in the form of RFC 850", () => ({ "if-unmodified-since": "Thursday, 01-Jan-70 00:00:00 GMT" })],
    ["that date in the form of asctime", () => ({ "if-unmodified-since": "Thu Jan  1 00:00:00 1970" })]
  ])("answers 412 to %s, on the API and on public pages, to GET and HEAD", async (_title, headers) => {
    for (const place of [path, `/api/settings/recordings/${ids.bobs}/video`, `/r/${ids.bobs}/video`])
      for (const method of ["GET", "HEAD"]) {
        const { status, body } = await world.ask(place, { method, headers: headers() })
        expect([place, method, status]).toEqual([place, method, 412])
        if (method === "GET") expect(body).toEqual({ error: expect.stringMatching(/^The file is not the one/) })
      }
  })

  it("answers a request whose conditions hold, or are malformed dates", async () => {
    for (const headers of [
      { "if-match": etag },
      { "if-match": "*" },
      { "if-match": `${other}, ${etag}` },
      { "if-match": etag, "if-unmodified-since": before },
      { "if-unmodified-since": later },
      { "if-unmodified-since": "1970" },
      { "if-unmodified-since": "yesterday" }
    ])
      for (const place of [path, `/api/settings/recordings/${ids.bobs}/video`, `/r/${ids.bobs}/video`])
        for (const method of ["GET", "HEAD"])
          expect([place, headers, (await world.fetch(place, { method, headers })).status]).toEqual([
            place,
            headers,
            200
          ])
    expect((await world.ask(path, { headers: { "if-match": etag, range: "bytes=4-" } })).status).toBe(206)
    expect((await world.ask(path, { headers: { "if-match": etag, "if-none-match": etag } })).status).toBe(304)
  })

  it("answers HEAD with the headers of the whole file", async () => {
    const { status, headers } = await world.ask(path, { method: "HEAD", headers: { range: "bytes=0-3" } })
    expect(status).toBe(200)
    expect(headers.get("content-length")).toBe("10")
    expect(headers.get("etag")).toBe(etag)
    expect(headers.get("content-disposition")).toMatch(/^attachment/)
  })

  it("answers 409 while there is no file", async () => {
    const { status, body } = await world.ask(`/api/v2/recordings/${ids.adas}/download`)
    expect(status).toBe(409)
    expect(body).toEqual({ error: "The video file is not available yet" })
  })

  it("answers with the edited file first, and serves other types as bytes (R23)", async () => {
    const file = (text: string, content_type: string) => ({ base64: btoa(text), content_type })
    const edited = await makeWorld({
      fixtures: {
        accounts: [{ name: "Acme" }],
        users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
        recordings: [
          {
            uuid: ids.bobs,
            title: 'Größe "1/2"\r\nX: y',
            video: {
              original: file("original", "video/mp4"),
              processed: file("processed", "video/mp4"),
              edited: file("edited", "video/x-matroska")
            }
          },
          { uuid: ids.adas, title: "日本語", video: { original: file("only", "video/webm;codecs=vp9") } }
        ]
      }
    })
    const first = await edited.ask(path)
    expect(first.body).toBe("edited")
    expect(first.headers.get("content-type")).toBe("application/octet-stream")
    expect(first.headers.get("content-disposition")).toBe(
      "attachment; filename=\"Groe 1 2 X y.bin\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%201%202%20X%20y.bin"
    )
    const second = await edited.ask(`/api/v2/recordings/${ids.adas}/download`)
    expect(second.headers.get("content-type")).toBe("video/webm")
    expect(second.headers.get("content-disposition")).toBe(
      "attachment; filename=\"recording.webm\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%E8%AA%9E.webm"
    )
  })
})

describe("the audit log of downloads (A4)", () => {
  const downloads = (world: TestWorld) =>
    world.memory
      .state()
      .auditEntries.valuesArray()
      .filter(({ eventType }) => eventType === "recording.downloaded").length

  it.each<readonly [string, number, Sent]>([
    ["a GET", 200, {}],
    ["a range from byte 0", 206, { headers: { range: "bytes=0-3" } }],
    ["a suffix that is the whole file", 206, { headers: { range: "bytes=-99" } }],
    ["a range that is malformed", 200, { headers: { range: "lines=1-2" } }],
    ["a range of another state of the file", 200, { headers: { range: "bytes=4-", "if-range": '"other"' } }]
  ])("has an entry for %s", async (_title, status, init) => {
    const world = await makeWorld()
    expect((await world.fetch(path, init)).status).toBe(status)
    expect(downloads(world)).toBe(1)
  })

  it.each<readonly [string, number, Sent]>([
    ["a HEAD", 200, { method: "HEAD" }],
    ["another file than If-Match names", 412, { headers: { "if-match": '"other"' } }],
    ["a file that the caller has", 304, { headers: { "if-none-match": "*" } }],
    ["a range past the end", 416, { headers: { range: "bytes=10-" } }],
    ["a later range", 206, { headers: { range: "bytes=4-" } }],
    ["a suffix", 206, { headers: { range: "bytes=-3" } }]
  ])("has no entry for %s", async (_title, status, init) => {
    const world = await makeWorld()
    expect((await world.fetch(path, init)).status).toBe(status)
    expect(downloads(world)).toBe(0)
  })
})
