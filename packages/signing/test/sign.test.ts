import { createHmac } from "node:crypto"
import {
  folderSignatureHeader,
  type SignOptions,
  sign,
  signAuditWebhook,
  signFolderWebhook,
  signStandardWebhook,
  signSync
} from "@tapedeck/signing"
import { expect, test } from "vitest"

const body = new TextEncoder().encode(`{"event":"recording.added_to_folder","title":"Übergröße"}`)

test("a folder webhook is signed with the UTF-8 bytes of the secret, whsec_ or not (W1)", () => {
  for (const secret of ["geheim-ü", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]) {
    const expected = createHmac("sha256", Buffer.from(secret, "utf8")).update(body).digest("hex")
    expect(signFolderWebhook({ body, secret })).toBe(`sha256=${expected}`)
  }
})

test("an audit webhook is signed in each encoding (A1)", () => {
  const digest = createHmac("sha256", "s3cret").update(body).digest()
  expect(signAuditWebhook({ body, secret: "s3cret", encoding: "hex" })).toBe(digest.toString("hex"))
  expect(signAuditWebhook({ body, secret: "s3cret", encoding: "sha256=hex" })).toBe(`sha256=${digest.toString("hex")}`)
  expect(signAuditWebhook({ body, secret: "s3cret", encoding: "base64" })).toBe(digest.toString("base64"))
})

test("a Standard Webhooks entry is signed with the decoded whsec_ bytes, else with the UTF-8 bytes (W2)", () => {
  const sign = (secret: string) => signStandardWebhook({ id: "msg_1", timestamp: 1_700_000_000, body, secret })
  const expected = (key: Buffer) =>
    `v1,${createHmac("sha256", key).update("msg_1.1700000000.").update(body).digest("base64")}`
  expect(sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).toBe(
    expected(Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64"))
  )
  expect(sign("geheim-ü")).toBe(expected(Buffer.from("geheim-ü", "utf8")))
})

test("signing refuses an id with a full stop and a timestamp that is not whole seconds", () => {
  expect(() => signStandardWebhook({ id: "a.1", timestamp: 1, body, secret: "x" })).toThrow(/^id must be/)
  expect(() => signStandardWebhook({ id: "a", timestamp: 1.5, body, secret: "x" })).toThrow(/^timestamp must be/)
})

test("the vendor's word is part of the header's name", () => {
  expect(folderSignatureHeader("Tapedeck")).toBe("X-Tapedeck-Signature")
  expect(() => folderSignatureHeader("a b")).toThrow(/^vendor must be/)
})

test("sign returns the headers of each scheme, synchronously or asynchronously", async () => {
  const digest = createHmac("sha256", "s3cret").update(body).digest()
  const hex = digest.toString("hex")
  const cases: ReadonlyArray<readonly [SignOptions, Record<string, string>]> = [
    [{ scheme: "folder", body, secret: "s3cret" }, { "X-Tapedeck-Signature": `sha256=${hex}` }],
    [{ scheme: "folder", body, secret: "s3cret", vendor: "Acme" }, { "X-Acme-Signature": `sha256=${hex}` }],
    [{ scheme: "audit", body, secret: "s3cret" }, { "X-Webhook-Signature": hex }],
    [
      { scheme: "audit", body, secret: "s3cret", encoding: "base64" },
      { "X-Webhook-Signature": digest.toString("base64") }
    ]
  ]
  for (const [options, headers] of cases) {
    expect(signSync(options)).toEqual(headers)
    expect(await sign(options)).toEqual(headers)
  }
})

test("a standard delivery has an entry for each secret during a rotation", async () => {
  const secrets = ["whsec_c2VjcmV0", "older"]
  const options = { scheme: "standard", id: "msg_1", timestamp: 1_700_000_000, body, secret: secrets } as const
  const entries = secrets.map((secret) => signStandardWebhook({ ...options, secret }))
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": "1700000000", "webhook-signature": entries.join(" ") }
  expect(signSync(options)).toEqual(headers)
  expect(await sign(options)).toEqual(headers)
})

test("a key of bytes is copied, so that overwriting it later changes nothing", () => {
  const secret = new TextEncoder().encode("s3cret")
  const signed = () => signFolderWebhook({ body, secret })
  expect(signed()).toBe(signFolderWebhook({ body, secret: "s3cret" }))
  secret[0] = "t".charCodeAt(0)
  expect(signed()).toBe(signFolderWebhook({ body, secret: "t3cret" }))
})

test("an input that cannot be signed is refused with its name", () => {
  const refusals: ReadonlyArray<readonly [object, string]> = [
    [{ scheme: "rot13", body, secret: "s" }, "scheme must be one of standard, folder, audit."],
    [{ scheme: "audit", body, secret: "s", encoding: "HEX" }, "encoding must be one of hex, sha256=hex, base64."],
    [
      { scheme: "standard", id: "", timestamp: 1, body, secret: "s" },
      "id must be visible ASCII characters without a full stop."
    ],
    [
      { scheme: "standard", id: "a", timestamp: -1, body, secret: "s" },
      "timestamp must be unix time in whole seconds."
    ],
    [
      { scheme: "standard", id: "a", timestamp: 1e15, body, secret: "s" },
      "timestamp must be unix time in whole seconds."
    ],
    [{ scheme: "standard", id: "a", timestamp: 1, body, secret: ["s", ""] }, "Secret 2 is refused: it is empty"],
    [{ scheme: "folder", body, secret: "" }, "Secret 1 is refused: it is empty"],
    [{ scheme: "folder", body }, "Secret 1 is refused: none was given."],
    [{ scheme: "folder", body: { a: 1 }, secret: "s" }, "The body is not bytes (object)"]
  ]
  for (const [options, message] of refusals) expect(() => signSync(options as SignOptions)).toThrow(message)
})
