import type { CaptureLimits } from "@tapedeck/core"
import { expect, it } from "vitest"
import { handler, makeWorld } from "./world.ts"

const unlimited = { link: 1e9, address: 1e9, site: 1e9 }

/** A world with limits on captures, and how captures begin in it. */
const makeTrial = async (limits: CaptureLimits | null) => {
  const world = await makeWorld({ config: limits === null ? {} : { captureLimits: limits } })
  const send = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Buffer<ArrayBuffer>
  ) => {
    const request = new Request(`http://localhost${path}`, { method, headers, ...(body !== undefined && { body }) })
    const response = await handler(request, world.context)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) }
  }
  const admin = { authorization: "Bearer ada-token", "content-type": "application/json" }
  const made = async (path: string, input: object) =>
    (await send("POST", `/api/settings${path}`, admin, JSON.stringify(input))).body
  const byLink = async () => {
    const { url } = await made("/capture-links", { max_uses: null })
    return () => send("POST", `/api/capture/links/${url.split("/c/")[1]}/captures`)
  }
  const bySite = async () => {
    const { key } = await made("/sites", { name: "Shop", origins: ["https://shop.example.com"] })
    return () => send("POST", `/api/capture/sites/${key}/captures`)
  }
  return { ...world, send, byLink, bySite }
}

type Begin = Awaited<ReturnType<Awaited<ReturnType<typeof makeTrial>>["byLink"]>>

const times = async (count: number, begin: Begin) => {
  for (let n = 0; n < count; n += 1) expect((await begin()).status).toBe(201)
}

it("the 21st capture by one link within an hour is 429, and other links still begin captures", async () => {
  const { byLink, wait } = await makeTrial({ perHour: { ...unlimited, link: 20 }, bytesPerDay: null })
  const [begin, other] = [await byLink(), await byLink()]
  await times(20, begin)
  const refused = await begin()
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"])
  await times(1, other)
  await wait(3_600_000)
  await times(1, begin)
})

it("the 31st capture from one address within an hour is 429, by any link or site", async () => {
  const { byLink, bySite } = await makeTrial({ perHour: { ...unlimited, address: 30 }, bytesPerDay: null })
  const [one, two, site] = [await byLink(), await byLink(), await bySite()]
  await times(10, one)
  await times(10, two)
  await times(10, site)
  for (const begin of [one, two, site]) expect((await begin()).status).toBe(429)
})

it("the 301st capture of one site within an hour is 429", async () => {
  const { bySite } = await makeTrial({ perHour: { ...unlimited, site: 300 }, bytesPerDay: null })
  const begin = await bySite()
  await times(300, begin)
  expect((await begin()).status).toBe(429)
})

it("captures that begin are not limited without limits, as on the emulator", async () => {
  const { byLink } = await makeTrial(null)
  await times(31, await byLink())
})

it("a byte beyond the account's bytes of a day is 413, for all its captures until the day is over", async () => {
  const { byLink, send, wait } = await makeTrial({ perHour: null, bytesPerDay: 1_000 })
  const begin = await byLink()
  const upload = async () => {
    const { capture_token, video_url } = (await begin()).body
    const headers = { authorization: `Capture ${capture_token}`, "tus-resumable": "1.0.0" }
    const created = await send("POST", video_url, { ...headers, "upload-defer-length": "1" })
    const location = created.headers.get("location")!
    return (offset: number, bytes: number) =>
      send(
        "PATCH",
        location,
        { ...headers, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) },
        webm(bytes).subarray(offset === 0 ? 0 : webmHead.length)
      )
  }
  const first = await upload()
  expect((await first(0, 1_000)).status).toBe(204)
  expect((await first(1_000, webmHead.length + 1)).status).toBe(413)
  expect((await (await upload())(0, webmHead.length + 1)).status).toBe(413)
  await wait(24 * 3_600_000)
  expect((await (await upload())(0, 1_000)).status).toBe(204)
})

/** The first bytes of a WebM file. */
const webmHead = Buffer.from(
  "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701000000000049b5",
  "hex"
)
const webm = (bytes: number) => Buffer.concat([webmHead, Buffer.alloc(bytes - webmHead.length, 7)])

it("a request for a piece of video beyond 1,000 and 3 for each second is 413 and names the limit; the earlier pieces are kept", async () => {
  const { byLink, memory, run, send } = await makeTrial(null)
  const { capture_token, id, video_url } = (await (await byLink())()).body
  const of = { authorization: `Capture ${capture_token}`, "tus-resumable": "1.0.0" }
  const made = await send("POST", video_url, { ...of, "upload-defer-length": "1" })
  const append = (offset: number) =>
    send(
      "PATCH",
      made.headers.get("location")!,
      { ...of, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) },
      Buffer.from("some bytes")
    )
  const capture = await run(memory.store.captures.byId(id))
  await run(memory.store.captures.save({ ...capture!, videoPieces: 1_000 + 3 * 1_800 - 1 }))
  expect((await append(0)).status).toBe(204)
  const refused = await append(10)
  expect([refused.status, refused.body.error]).toEqual([413, expect.stringContaining("at most 6400 pieces")])
  expect((await run(memory.store.captures.byId(id)))?.receivedBytes).toBe(10)
})
