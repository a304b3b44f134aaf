import { describe, expect, it } from "vitest"
import { Tapedeck } from "../src/index.ts"
import { isAuditLogEvent, isRecordingAddedToFolder, SigningError, sign } from "../src/signing.ts"

const { webhooks } = new Tapedeck({ baseUrl: "https://rec.test", token: "t" })
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const at = new Date("2026-01-01T00:00:00.000Z")
const now = () => at
const timestamp = at.getTime() / 1000

const added = JSON.stringify({
  event: "recording.added_to_folder",
  timestamp: at.toISOString(),
  recording: {
    id: "r",
    title: "Checkout",
    url: "https://rec.test/r/r",
    video_url: "https://rec.test/r/r/video",
    thumbnail_url: "https://rec.test/r/r/thumbnail",
    customer_email: "",
    duration: null,
    browser: "",
    os: "",
    console_errors: [],
    network_errors: [],
    created_at: at.toISOString()
  },
  folder: { id: "vip", name: "VIP" },
  account: { id: "1", name: "Acme" }
})
const audit = JSON.stringify({
  event: "user.login",
  event_category: "authentication",
  severity: "low",
  timestamp: at.toISOString(),
  audit_log: { id: 1, event_type: "user.login", status: "success", ip_address: "", user_agent: "", metadata: {} },
  user: null,
  account: { id: 1, name: "Acme" }
})

const standard = (body: string) => sign({ scheme: "standard", body, secret, id: "msg_1", timestamp })

const folder = (body: string) => sign({ scheme: "folder", body, secret })

const codeOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught
  )
  expect(error).toBeInstanceOf(SigningError)
  return (error as SigningError).code
}

describe("webhooks.unwrap", () => {
  it("distinguishes folder events from audit events, by every scheme that the service sends", async () => {
    const folderHeaders = await folder(added)
    for (const headers of [await standard(added), folderHeaders]) {
      const event = await webhooks.unwrap(added, headers, { secret, now })
      expect(isRecordingAddedToFolder(event) && event.recording.title).toBe("Checkout")
    }
    for (const encoding of ["hex", "sha256=hex", "base64"] as const) {
      const headers = await sign({ scheme: "audit", body: audit, secret, encoding })
      const event = await webhooks.unwrap(audit, new Headers(headers), { secret, now })
      expect(isAuditLogEvent(event) && event.audit_log.event_type).toBe("user.login")
    }
  })

  it("accepts the next and the present secret during a rotation", async () => {
    const headers = await standard(added)
    const next = "whsec_bmV4dC1zZWNyZXQtb2YtdGhlLWF1dG9tYXRpb24="
    await expect(webhooks.unwrap(added, headers, { secret: [next, secret], now })).resolves.toBeDefined()
    expect(await codeOf(webhooks.unwrap(added, headers, { secret: next, now }))).toBe("signature_mismatch")
  })

  it("names each cause of a refusal", async () => {
    const headers = await standard(added)
    const late = () => new Date(at.getTime() + 301_000)
    expect(await codeOf(webhooks.unwrap(added, {}, { secret, now }))).toBe("header_missing")
    expect(await codeOf(webhooks.unwrap(`${added} `, headers, { secret, now }))).toBe("signature_mismatch")
    expect(await codeOf(webhooks.unwrap(added, headers, { secret, now: late }))).toBe("timestamp_too_old")
    const custom = '{"custom": true}'
    expect(await codeOf(webhooks.unwrap(custom, await standard(custom), { secret, now }))).toBe("event_unexpected")
    expect(await codeOf(webhooks.unwrap("no JSON", await standard("no JSON"), { secret, now }))).toBe("event_not_json")
  })

  it("checks webhook-timestamp whenever it exists, at its limit and one second beyond", async () => {
    const headers = { ...(await folder(added)), "Webhook-Timestamp": String(timestamp) }
    const after = (seconds: number) => () => new Date(at.getTime() + seconds * 1000)
    await expect(webhooks.unwrap(added, headers, { secret, now: after(300) })).resolves.toBeDefined()
    expect(await codeOf(webhooks.unwrap(added, headers, { secret, now: after(301) }))).toBe("timestamp_too_old")
    expect(await codeOf(webhooks.unwrap(added, headers, { secret, now: after(-301) }))).toBe("timestamp_too_new")
  })

  it("accepts a promise of the time", async () => {
    const late = async () => new Date(at.getTime() + 301_000)
    for (const headers of [
      await standard(added),
      { ...(await folder(added)), "webhook-timestamp": String(timestamp) }
    ]) {
      await webhooks.unwrap(added, headers, { secret, now: async () => at })
      expect(await codeOf(webhooks.unwrap(added, headers, { secret, now: late }))).toBe("timestamp_too_old")
    }
  })

  it("requires a signed timestamp if toleranceSeconds is given", async () => {
    const headers = await folder(added)
    const options = { secret, now, toleranceSeconds: 60 }
    expect(await codeOf(webhooks.unwrap(added, headers, options))).toBe("header_missing")
    await expect(webhooks.unwrap(added, await standard(added), options)).resolves.toBeDefined()
  })
})
