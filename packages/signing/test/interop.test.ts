import * as octokit from "@octokit/webhooks-methods"
import { signSync, verify, verifySync } from "@tapedeck/signing"
import * as standardwebhooks from "standardwebhooks"
import * as svix from "svix"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

const timestamp = 1_767_225_600
const id = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W"
const bodies = [`{"title":"Login fails"}`, `{"title":"Übergröße 録画 🎥"}`, "{}", JSON.stringify("x".repeat(5000))]
const utf8 = new TextEncoder()

// Both libraries read the wall clock.
beforeAll(() => {
  vi.useFakeTimers({ now: timestamp * 1000, toFake: ["Date"] })
})
afterAll(() => {
  vi.useRealTimers()
})

const standard = (body: string, secret: string | ReadonlyArray<string>) =>
  signSync({ scheme: "standard", id, timestamp, body, secret })

describe.each([
  ["standardwebhooks", standardwebhooks.Webhook],
  ["svix", svix.Webhook]
])("%s", (_name, Webhook) => {
  const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  const keys: ReadonlyArray<readonly [string, InstanceType<typeof Webhook>]> = [
    [whsec, new Webhook(whsec)],
    // The key of a secret without whsec_ is its UTF-8 bytes (W2): what these libraries call raw.
    ["plain secret", new Webhook("plain secret", { format: "raw" })],
    ["schlüssel 🔑", new Webhook(utf8.encode("schlüssel 🔑"), { format: "raw" })]
  ]

  test("verifies our signature", () => {
    for (const [secret, theirs] of keys) {
      for (const body of bodies) {
        const headers = standard(body, secret)
        expect(() => theirs.verify(body, headers)).not.toThrow()
        expect(() => theirs.verify(`${body} `, headers)).toThrow("No matching signature found")
      }
    }
  })

  test("verifies one of our two signatures", () => {
    const headers = standard("{}", ["another", whsec])
    expect(() => new Webhook(whsec).verify("{}", headers)).not.toThrow()
    expect(() => new Webhook("whsec_c2VjcmV0").verify("{}", headers)).toThrow("No matching signature found")
  })

  test("makes signatures that we verify", async () => {
    for (const [secret, theirs] of keys) {
      for (const body of bodies) {
        const headers = {
          "webhook-id": id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": theirs.sign(id, new Date(timestamp * 1000), body)
        }
        const verified = { scheme: "standard", secretIndex: 0, id, timestamp }
        expect(verifySync({ body, headers, secret })).toEqual(verified)
        expect(await verify({ body, headers, secret, scheme: "standard" })).toEqual(verified)
      }
    }
  })
})

describe("svix headers", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  const signature = new svix.Webhook(secret).sign(id, new Date(timestamp * 1000), "{}")
  const headers = { "Svix-Id": id, "Svix-Timestamp": String(timestamp), "Svix-Signature": signature }
  const codeOf = (given: Record<string, string>) => {
    try {
      return verifySync({ body: "{}", headers: given, secret, scheme: "standard" }).scheme
    } catch (error) {
      return (error as Error).message
    }
  }

  test("are those of Standard Webhooks under other names", async () => {
    const verified = { scheme: "standard", secretIndex: 0, id, timestamp }
    expect(verifySync({ body: "{}", headers, secret })).toEqual(verified)
    expect(await verify({ body: "{}", headers, secret, scheme: "standard" })).toEqual(verified)
  })

  test("are not mixed with those of Standard Webhooks, and are named in errors", () => {
    const { "Svix-Id": _id, ...withoutId } = headers
    expect(codeOf({ ...withoutId, "webhook-id": id })).toContain("svix-id")
    expect(codeOf({ ...headers, "svix-timestamp": "1" })).toContain("svix-signature")
    expect(codeOf({ ...headers, "webhook-signature": `v1,${"A".repeat(43)}=` })).toContain("webhook-id")
  })
})

describe("X-Hub-Signature-256", () => {
  test("contains GitHub's form of a folder's signature", async () => {
    const headers = { "X-Hub-Signature-256": await octokit.sign("secret", "{}") }
    expect(verifySync({ body: "{}", headers, secret: "secret" })).toEqual({ scheme: "folder", secretIndex: 0 })
    expect(verifySync({ body: "{}", headers, secret: "secret", scheme: "folder" }).scheme).toBe("folder")
    expect(() => verifySync({ body: "{ }", headers, secret: "secret" })).toThrow("The signature in x-hub-signature-256")
  })

  test("is ignored if the vendor's header exists", async () => {
    const headers = {
      "X-Hub-Signature-256": await octokit.sign("secret", "{}"),
      "X-Tapedeck-Signature": await octokit.sign("another", "{}")
    }
    expect(() => verifySync({ body: "{}", headers, secret: "secret" })).toThrow("x-tapedeck-signature")
  })
})

describe("a base64 secret without whsec_", () => {
  const base64 = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  const headers = standard("{}", `whsec_${base64}`)
  const failure = (secret: string | ReadonlyArray<string>) => {
    try {
      return verifySync({ body: "{}", headers, secret })
    } catch (error) {
      return error
    }
  }

  test("is refused, with the hint that it matches with the prefix", async () => {
    const hint = "Secret 1 matches as base64: write whsec_ before it."
    expect(failure(base64)).toMatchObject({ code: "signature_mismatch", data: { matchesWithPrefix: 0 } })
    expect((failure(base64) as Error).message).toContain(hint)
    expect((failure(["another", base64]) as Error).message).toContain("Secret 2 matches as base64")
    await expect(verify({ body: "{}", headers, secret: base64 })).rejects.toThrow(hint)
  })

  test("is refused without a hint if it would not match with the prefix", () => {
    for (const secret of ["c2VjcmV0", "no base64!", "whsec_c2VjcmV0"]) {
      expect(failure(secret)).toMatchObject({ code: "signature_mismatch", data: { matchesWithPrefix: -1 } })
    }
  })
})

describe("@octokit/webhooks-methods", () => {
  const secrets = ["plain secret", "schlüssel 🔑", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]

  test("verifies our signatures of folder webhooks", async () => {
    for (const secret of secrets) {
      for (const body of bodies) {
        const signature = signSync({ scheme: "folder", body, secret })["X-Tapedeck-Signature"] ?? ""
        expect(await octokit.verify(secret, body, signature)).toBe(true)
        expect(await octokit.verify("another", body, signature)).toBe(false)
      }
    }
  })

  test("makes signatures that we verify, as a folder's and as an audit destination's", async () => {
    for (const secret of secrets) {
      for (const body of bodies) {
        const signature = await octokit.sign(secret, body)
        expect(verifySync({ body, headers: { "X-Hub-Signature": signature }, secret, vendor: "Hub" }).scheme).toBe(
          "folder"
        )
        expect(verifySync({ body, headers: { "X-Webhook-Signature": signature }, secret })).toMatchObject({
          scheme: "audit",
          encoding: "sha256=hex"
        })
      }
    }
  })
})
