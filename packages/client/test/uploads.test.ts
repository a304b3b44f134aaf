import { describe, expect, it } from "vitest"
import { ConnectionError, NotFoundError } from "../src/index.ts"
import { makeClient, type Seen } from "./support/fake.ts"

/** A tus server in memory. `fail` may break the connection of a PATCH, after so many of its bytes arrived. */
const tusServer = (fail: (patch: number) => number | undefined = () => undefined) => {
  let bytes = new Uint8Array(0)
  let patches = 0
  const log: Array<string> = []
  const append = (part: Uint8Array) => {
    const joined = new Uint8Array(bytes.length + part.length)
    joined.set(bytes)
    joined.set(part, bytes.length)
    bytes = joined
  }
  const answer = async ({ body, headers, method, url }: Seen): Promise<Response> => {
    log.push(`${method} ${url.pathname.replace("/api/settings/recordings/r", "")}`)
    const at = () => ({ "upload-offset": String(bytes.length) })
    if (method === "POST") return new Response(null, { status: 201, headers: { location: `${url.pathname}/u1` } })
    if (method === "HEAD") return new Response(null, { headers: at() })
    if (method === "DELETE") return new Response(null, { status: 204 })
    if (method === "GET") return Response.json({ uuid: "r" })
    if (Number(headers.get("upload-offset")) !== bytes.length)
      return Response.json({ error: "offset" }, { status: 409 })
    const part = new Uint8Array(await new Response(body as BodyInit).arrayBuffer())
    const arrived = fail(patches++)
    if (arrived !== undefined) {
      append(part.slice(0, arrived))
      throw new TypeError("fetch failed")
    }
    append(part)
    return new Response(null, { status: 204, headers: at() })
  }
  return { answer, log, bytes: () => bytes }
}

const file = Uint8Array.from({ length: 10 }, (_, index) => index)

/** Moves the clock until the upload has ended. */
const drive = async <Data>(done: Promise<Data>, clock: { advance: (ms: number) => void }): Promise<Data> => {
  let isOver = false
  done
    .finally(() => {
      isOver = true
    })
    .catch(() => {})
  for (let turn = 0; turn < 500 && !isOver; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    if (turn % 10 === 9) clock.advance(10_000)
  }
  return done
}

describe("a resumable upload", () => {
  it.each([
    "https://rec.test/tapedeck/api/settings/recordings/r/uploads/u1",
    "/tapedeck/api/settings/recordings/r/uploads/u1",
    "/api/settings/recordings/r/uploads/u1"
  ])("goes on at the location %s of a service below a path", async (location) => {
    const { seen, tapedeck } = makeClient(
      [
        () => new Response(null, { status: 201, headers: { location } }),
        () => new Response(null, { status: 204, headers: { "upload-offset": "10" } }),
        () => Response.json({ uuid: "r" })
      ],
      { baseUrl: "https://rec.test/tapedeck" }
    )
    await (await tapedeck.uploads.start("r", file)).done
    expect(seen[1]?.url.href).toBe("https://rec.test/tapedeck/api/settings/recordings/r/uploads/u1")
  })

  it("is refused a location of another host", async () => {
    const { tapedeck } = makeClient([
      () => new Response(null, { status: 201, headers: { location: "https://other.test/u1" } })
    ])
    await expect(tapedeck.uploads.start("r", file)).rejects.toThrow("a Location of its own")
  })

  it.each([0, 2])("ends with an error if a part was accepted but the offset is %i again or before", async (after) => {
    const { seen, tapedeck } = makeClient([
      ({ method, url }) => {
        if (method === "POST") return new Response(null, { status: 201, headers: { location: `${url.pathname}/u1` } })
        const offset = method === "HEAD" ? 2 : after
        return new Response(null, { status: 200, headers: { "upload-offset": String(offset) } })
      }
    ])
    const upload = await tapedeck.uploads.start("r", file)
    await expect(upload.done).rejects.toThrow("The service answered without a further Upload-Offset")
    expect(seen.map(({ method }) => method)).toEqual(["POST", "HEAD", "PATCH"])
  })

  it("sends the file in parts, reports its progress, and returns the recording", async () => {
    const server = tusServer()
    const { clock, seen, tapedeck } = makeClient([server.answer])
    const progress: Array<string> = []
    const upload = await tapedeck.uploads.start("r", file, {
      contentType: "video/webm",
      chunkSizeBytes: 4,
      onProgress: (sent, size) => progress.push(`${sent}/${size}`)
    })
    expect(await drive(upload.done, clock)).toEqual({ uuid: "r" })
    expect(server.bytes()).toEqual(file)
    expect(progress).toEqual(["4/10", "8/10", "10/10"])
    expect(seen[0]?.headers.get("upload-metadata")).toBe(`filetype ${btoa("video/webm")}`)
    expect(upload.sentBytes).toBe(10)
  })

  it("requests the offset after a broken connection, and sends the missing bytes once", async () => {
    const server = tusServer((patch) => (patch === 1 ? 3 : undefined))
    const { clock, tapedeck } = makeClient([server.answer])
    const upload = await tapedeck.uploads.start("r", file, { chunkSizeBytes: 4 })
    await drive(upload.done, clock)
    expect(server.bytes()).toEqual(file)
    expect(server.log).toEqual([
      "POST /uploads",
      "HEAD /uploads/u1",
      "PATCH /uploads/u1",
      "PATCH /uploads/u1",
      "HEAD /uploads/u1",
      "PATCH /uploads/u1",
      "GET "
    ])
  })

  it("fails after six tries without progress", async () => {
    const server = tusServer(() => 0)
    const { clock, tapedeck } = makeClient([server.answer])
    const upload = await tapedeck.uploads.start("r", file)
    await expect(drive(upload.done, clock)).rejects.toThrow(ConnectionError)
    expect(server.log.filter((line) => line.startsWith("PATCH"))).toHaveLength(6)
  })

  it("continues after a restart from its saved state", async () => {
    const server = tusServer((patch) => (patch === 1 ? 0 : undefined))
    const first = makeClient([server.answer])
    const abort = new AbortController()
    const upload = await first.tapedeck.uploads.start("r", file, { chunkSizeBytes: 4, signal: abort.signal })
    while (server.bytes().length < 4) await new Promise((resolve) => setImmediate(resolve))
    abort.abort(new Error("restart"))
    await expect(upload.done).rejects.toThrow("restart")

    const state = JSON.parse(JSON.stringify(upload.state))
    const second = makeClient([server.answer])
    const resumed = await second.tapedeck.uploads.resume(state, new Blob([file]))
    await drive(resumed.done, second.clock)
    expect(server.bytes()).toEqual(file)
    await expect(second.tapedeck.uploads.resume(state, file.slice(1))).rejects.toThrow("The file has 9 bytes")
  })

  it("sends nothing while it is paused", async () => {
    const server = tusServer()
    const { clock, tapedeck } = makeClient([server.answer])
    const upload = await tapedeck.uploads.start("r", file, { chunkSizeBytes: 4, onProgress: () => upload.pause() })
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(upload.isPaused).toBe(true)
    expect(upload.sentBytes).toBe(4)
    const resumeWhenPaused = setInterval(() => upload.resume(), 0)
    await drive(upload.done, clock).finally(() => clearInterval(resumeWhenPaused))
    expect(server.bytes()).toEqual(file)
  })

  it("removes the sent bytes when it is aborted", async () => {
    const server = tusServer()
    const { tapedeck } = makeClient([server.answer])
    const upload = await tapedeck.uploads.start("r", file, { chunkSizeBytes: 4, onProgress: () => upload.pause() })
    await upload.abort()
    await expect(upload.done).rejects.toThrow("The upload was aborted")
    expect(server.log.at(-1)).toBe("DELETE /uploads/u1")
  })

  it("fails if the upload no longer exists", async () => {
    const gone = () => Response.json({ error: "Upload not found" }, { status: 404 })
    const { tapedeck } = makeClient([gone])
    const state = { recording_uuid: "r", location: "/api/settings/recordings/r/uploads/u1", size_bytes: 10 }
    const upload = await tapedeck.uploads.resume(state, file)
    await expect(upload.done).rejects.toThrow(NotFoundError)
  })
})
