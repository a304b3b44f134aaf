import { createHmac } from "node:crypto"
import { defaultServiceConfig } from "@tapedeck/core"
import { DeliveryId } from "@tapedeck/domain"
import { describe, expect, it } from "vitest"
import { type DispatcherWorld, headersOf, makeWorld } from "./dispatcherWorld.ts"
import { aDelivery, aDestination, anAuditDelivery, anAutomation, instantAfter } from "./examples.ts"

/** By node:crypto alone, so that no code of ours is asked to confirm itself. */
const hmac = (key: string | Buffer, text: string, digits: "hex" | "base64") =>
  createHmac("sha256", key).update(text).digest(digits)

const body = aDelivery().body

/** Performs one attempt of the delivery, at this many milliseconds after the start; gives the headers that went out. */
const sendOne = async (
  world: DispatcherWorld,
  { ms = 0, ...settings }: { automation?: object; destination?: object; ms?: number } = {}
) => {
  const { store } = world
  if (settings.automation) await world.run(store.automations.save(anAutomation(settings.automation)))
  if (settings.destination) await world.run(store.destinations.save(aDestination(settings.destination)))
  await world.run(store.deliveries.insert(settings.destination ? anAuditDelivery() : aDelivery()))
  await world.setTime(instantAfter(ms))
  await world.performDue()
  return world.sent[0]!
}

const own = [
  ["content-type", "application/json"],
  ["user-agent", `Tapedeck/${defaultServiceConfig.version}`],
  ["accept", "*/*"]
] as const

describe("a folder delivery", () => {
  it("is signed over the exact bytes of its body, under the vendor's name (W1, N2)", async () => {
    const sent = await sendOne(await makeWorld({ vendor: "Acme" }))
    expect(headersOf(sent)["x-acme-signature"]).toBe(`sha256=${hmac("secret", body, "hex")}`)
    expect(Buffer.from(sent.request.body).toString("utf8")).toBe(body)
    expect(sent.request.body).toHaveLength(Buffer.byteLength(body))
  })

  it("is signed with the secret's UTF-8 bytes, whatever the secret looks like (W1)", async () => {
    const secret = `whsec_${Buffer.from("ünï").toString("base64")}`
    const headers = headersOf(await sendOne(await makeWorld(), { automation: { secret } }))
    expect(headers["x-tapedeck-signature"]).toBe(`sha256=${hmac(secret, body, "hex")}`)
  })

  it("has the three headers of Standard Webhooks too, with the time of the attempt (W2)", async () => {
    const headers = headersOf(await sendOne(await makeWorld(), { ms: 1_999 }))
    const timestamp = "1767225601"
    expect(headers).toMatchObject({ "webhook-id": "delivery", "webhook-timestamp": timestamp })
    expect(headers["webhook-signature"]).toBe(`v1,${hmac("secret", `delivery.${timestamp}.${body}`, "base64")}`)
  })

  it("is signed for Standard Webhooks with the decoded bytes of a whsec_ secret (W2)", async () => {
    const key = Buffer.from("0123456789abcdef0123456789abcdef")
    const headers = headersOf(
      await sendOne(await makeWorld(), { automation: { secret: `whsec_${key.toString("base64")}` } })
    )
    expect(headers["webhook-signature"]).toBe(`v1,${hmac(key, `delivery.1767225600.${body}`, "base64")}`)
  })

  it("keeps its webhook-id in all attempts, and no other delivery has it", async () => {
    const world = await makeWorld()
    await world.run(world.store.deliveries.insert(aDelivery({ id: DeliveryId.make("one") })))
    await world.run(world.store.deliveries.insert(aDelivery({ id: DeliveryId.make("two") })))
    await world.untilIdle()
    const ids = world.sent.map((one) => headersOf(one)["webhook-id"])
    expect(ids.filter((id) => id === "one")).toHaveLength(6)
    expect(ids.filter((id) => id === "two")).toHaveLength(6)
    const times = new Set(world.sent.map((one) => headersOf(one)["webhook-timestamp"]))
    expect(times.size).toBe(6)
  })

  it("has none of the three headers if the setting is off, and still has its vendor's (W2)", async () => {
    const headers = headersOf(await sendOne(await makeWorld({ standardWebhooks: false })))
    expect(Object.keys(headers)).toEqual(["content-type", "user-agent", "accept", "x-tapedeck-signature"])
  })
})

describe("custom headers (W8, W10)", () => {
  it("are sent between the service's own and the signatures, in their own order, in lower case", async () => {
    const headers = { "X-Z": "1", Authorization: "Bearer token", "x-a": "2" }
    const sent = await sendOne(await makeWorld({ version: "1.2.3" }), { automation: { headers } })
    expect(sent.request.headers.slice(0, 6)).toEqual([
      ["content-type", "application/json"],
      ["user-agent", "Tapedeck/1.2.3"],
      ["accept", "*/*"],
      ["x-z", "1"],
      ["authorization", "Bearer token"],
      ["x-a", "2"]
    ])
    expect(sent.request.headers.slice(6).map(([name]) => name)).toEqual([
      "x-tapedeck-signature",
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature"
    ])
  })

  it("may replace the content type (W10)", async () => {
    const headers = { "Content-Type": "application/vnd.acme+json" }
    const sent = await sendOne(await makeWorld(), { automation: { headers } })
    const types = sent.request.headers.filter(([name]) => name === "content-type")
    expect(types).toEqual([["content-type", "application/vnd.acme+json"]])
  })

  it("may replace User-Agent and Accept (W14)", async () => {
    const headers = { "USER-AGENT": "crm", Accept: "application/json" }
    const names = (await sendOne(await makeWorld(), { automation: { headers } })).request.headers
    expect(names.filter(([name]) => /^(user-agent|accept)$/i.test(name))).toEqual([
      ["user-agent", "crm"],
      ["accept", "application/json"]
    ])
  })

  it("cannot set Host, length and connection", async () => {
    const sent = await sendOne(await makeWorld())
    const names = sent.request.headers.map(([name]) => name)
    for (const name of ["host", "content-length", "transfer-encoding", "connection"]) expect(names).not.toContain(name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe("the method of a delivery", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE"])("is the automation's: %s, with the body (W10)", async (method) => {
    const { request } = await sendOne(await makeWorld(), { automation: { method } })
    expect([request.method, Buffer.from(request.body).toString("utf8")]).toEqual([method, body])
  })

  it("is POST for an audit delivery", async () => {
    expect((await sendOne(await makeWorld(), { destination: {} })).request.method).toBe("POST")
  })
})

describe("an audit delivery", () => {
  it.each([
    ["hex", hmac("s", body, "hex")],
    ["sha256=hex", `sha256=${hmac("s", body, "hex")}`],
    ["base64", hmac("s", body, "base64")]
  ])("has its signature as %s (A1)", async (signature, value) => {
    const headers = headersOf(await sendOne(await makeWorld(), { destination: { signature, secret: "s" } }))
    expect(headers["x-webhook-signature"]).toBe(value)
    expect(headers["webhook-signature"]).toBe(`v1,${hmac("s", `delivery.1767225600.${body}`, "base64")}`)
    expect(headers).not.toHaveProperty("x-tapedeck-signature")
  })

  it("names the vendor and the version, and accepts any content type (W14)", async () => {
    const world = await makeWorld({ vendor: "Acme", version: "1.2.3" })
    expect(headersOf(await sendOne(world, { destination: {} }))).toMatchObject({
      "user-agent": "Acme/1.2.3",
      accept: "*/*"
    })
  })

  it("has an id and a time, and no signature, if the destination has no secret (W2)", async () => {
    const sent = await sendOne(await makeWorld(), { destination: { secret: null } })
    expect(sent.request.headers).toEqual([...own, ["webhook-id", "delivery"], ["webhook-timestamp", "1767225600"]])
  })

  it("has its signature if the setting turns the three headers off, and none of them without a secret (W2)", async () => {
    const off = { standardWebhooks: false }
    const signed = await sendOne(await makeWorld(off), { destination: { secret: "s" } })
    expect(signed.request.headers.map(([name]) => name)).toEqual([...own.map(([name]) => name), "x-webhook-signature"])
    const bare = await sendOne(await makeWorld(off), { destination: { secret: null } })
    expect(bare.request.headers).toEqual(own)
  })
})
