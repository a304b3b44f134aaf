import type { CaptureLimits } from "@tapedeck/core"
import { Context, Effect, Option } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import { expect, it } from "vitest"
import { app, makeWorld } from "./world.ts"

/** Requests from this network address. */
const handlerFrom = (remoteAddress = "192.0.2.7") =>
  HttpEffect.toWebHandlerWith<never, Effect.Services<typeof app>>(Context.empty())(
    Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
      request.modify({ remoteAddress: Option.some(remoteAddress) })
    )
  )

const unlimited = { link: 1e9, address: 1e9, site: 1e9 }

/** A world with limits on captures, and how captures begin in it. */
const makeTrial = async (limits: CaptureLimits | null) => {
  const world = await makeWorld({ config: limits === null ? {} : { captureLimits: limits } })
  const send = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Buffer<ArrayBuffer>,
    from?: string
  ) => {
    const request = new Request(`http://localhost${path}`, { method, headers, ...(body !== undefined && { body }) })
    const response = await handlerFrom(from)(request, world.context)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) }
  }
  const admin = { authorization: "Bearer ada-token", "content-type": "application/json" }
  const made = async (path: string, input: object) =>
    (await send("POST", `/api/settings${path}`, admin, JSON.stringify(input))).body
  const byLink = async () => {
    const { url } = await made("/capture-links", { max_uses: null })
    return (from?: string) => send("POST", `/api/capture/links/${url.split("/c/")[1]}/captures`, {}, undefined, from)
  }
  const bySite = async () => {
    const { key } = await made("/sites", { name: "Shop", origins: ["https://shop.example.com"] })
    return (from?: string) => send("POST", `/api/capture/sites/${key}/captures`, {}, undefined, from)
  }
  return { ...world, send, byLink, bySite }
}

const hourly = (perHour: Partial<typeof unlimited>): CaptureLimits => ({
  perHour: { ...unlimited, ...perHour },
  bytesPerDay: null,
  keyBytesPerDay: null
})

type Begin = Awaited<ReturnType<Awaited<ReturnType<typeof makeTrial>>["byLink"]>>

const times = async (count: number, begin: Begin) => {
  for (let n = 0; n < count; n += 1) expect((await begin()).status).toBe(201)
}

it("the 21st capture by one link from one address within an hour is 429, and other links still begin captures", async () => {
  const { byLink, wait } = await makeTrial(hourly({ link: 200 }))
  const [begin, other] = [await byLink(), await byLink()]
  await times(20, begin)
  const refused = await begin()
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"])
  await times(1, other)
  await wait(3_600_000)
  await times(1, begin)
})

it("the 31st capture from one address within an hour is 429, by any link or site, and leaves other addresses theirs", async () => {
  const { byLink, bySite } = await makeTrial(hourly({ address: 30, site: 300 }))
  const [one, two, site] = [await byLink(), await byLink(), await bySite()]
  await times(10, one)
  await times(10, two)
  await times(10, site)
  for (const begin of [one, two, site]) expect((await begin()).status).toBe(429)
  for (let n = 0; n < 300; n += 1) await site()
  expect((await site("192.0.2.8")).status).toBe(201)
})

it.each([
  ["link", 200],
  ["site", 300]
] as const)("a %s has %d captures within an hour, a tenth of them from one address", async (kind, limit) => {
  const { byLink, bySite } = await makeTrial(hourly({ [kind]: limit }))
  const begin = await (kind === "link" ? byLink() : bySite())
  const tenth = limit / 10
  for (let address = 0; address < 10; address += 1) {
    const from = `192.0.2.${address}`
    for (let n = 0; n < tenth; n += 1) expect((await begin(from)).status).toBe(201)
    expect((await begin(from)).status).toBe(429)
  }
  expect((await begin("192.0.2.99")).status).toBe(429)
})

it("captures that begin are not limited without limits, as on the emulator", async () => {
  const { byLink } = await makeTrial(null)
  await times(31, await byLink())
})

/** How uploads of a capture begin: from an address, with the bytes at an offset. */
const uploads = (send: Awaited<ReturnType<typeof makeTrial>>["send"]) => async (begin: Begin, from?: string) => {
  const { capture_token, video_url } = (await begin(from)).body
  const headers = { authorization: `Capture ${capture_token}`, "tus-resumable": "1.0.0" }
  const created = await send("POST", video_url, { ...headers, "upload-defer-length": "1" })
  const location = created.headers.get("location")!
  return (offset: number, bytes: number) =>
    send(
      "PATCH",
      location,
      { ...headers, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) },
      webm(bytes).subarray(offset === 0 ? 0 : webmHead.length),
      from
    )
}

it("a byte beyond the account's bytes of a day is 413, for all its captures until the day is over", async () => {
  const { byLink, send, wait } = await makeTrial({ perHour: null, bytesPerDay: 1_000, keyBytesPerDay: null })
  const [begin, upload] = [await byLink(), uploads(send)]
  const first = await upload(begin)
  expect((await first(0, 1_000)).status).toBe(204)
  expect((await first(1_000, webmHead.length + 1)).status).toBe(413)
  expect((await (await upload(begin))(0, webmHead.length + 1)).status).toBe(413)
  await wait(24 * 3_600_000)
  expect((await (await upload(begin))(0, 1_000)).status).toBe(204)
})

it("sites have half of the account's bytes of a day, so that links and agents keep the other half", async () => {
  const { byLink, bySite, send } = await makeTrial({ perHour: null, bytesPerDay: 1_000, keyBytesPerDay: null })
  const [link, site, upload] = [await byLink(), await bySite(), uploads(send)]
  expect((await (await upload(site))(0, 501)).status).toBe(413)
  expect((await (await upload(site))(0, 500)).status).toBe(204)
  expect((await (await upload(await bySite()))(0, 100)).status).toBe(413)
  expect((await (await upload(link))(0, 500)).status).toBe(204)
})

it("a site or a link has its bytes of a day, and each network address a quarter of them", async () => {
  const { byLink, bySite, send } = await makeTrial({ perHour: null, bytesPerDay: null, keyBytesPerDay: 1_000 })
  const upload = uploads(send)
  for (const begin of [await byLink(), await bySite()]) {
    const refused = await (await upload(begin, "192.0.2.1"))(0, 251)
    expect([refused.status, refused.body.message ?? refused.body.error]).toEqual([
      413,
      expect.stringContaining("at most 250 bytes a day from one network address")
    ])
    for (const address of [1, 2, 3, 4]) {
      const from = `192.0.2.${address}`
      expect((await (await upload(begin, from))(0, 250)).status).toBe(204)
      expect((await (await upload(begin, from))(0, 100)).status).toBe(413)
    }
    expect((await (await upload(begin, "192.0.2.5"))(0, 100)).status).toBe(413)
  }
})

it("the 21st pairing code of a capture within a minute is 429; expired ones are removed", async () => {
  const { byLink, memory, send, wait } = await makeTrial(null)
  const { capture_token, id } = (await (await byLink())()).body
  const pair = () => send("POST", `/api/capture/captures/${id}/pairing`, { authorization: `Capture ${capture_token}` })
  const codes = () =>
    memory
      .state()
      .captureTokens.valuesArray()
      .filter(({ kind }) => kind === "code").length
  for (let n = 0; n < 20; n += 1) expect((await pair()).status).toBe(201)
  const refused = await pair()
  expect([refused.status, refused.headers.get("retry-after"), codes()]).toEqual([429, "60", 20])
  await wait(60_000)
  expect([(await pair()).status, codes()]).toEqual([201, 1])
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
