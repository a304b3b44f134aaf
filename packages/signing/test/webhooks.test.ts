import { createHmac } from "node:crypto"
import { folderSignatureHeader, signAuditWebhook, signFolderWebhook, signStandardWebhook } from "@tapedeck/signing"
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

test("a Standard Webhooks entry is keyed with the decoded whsec_ bytes, else with the UTF-8 bytes (W2)", () => {
  const sign = (secret: string) => signStandardWebhook({ id: "msg_1", timestamp: 1_700_000_000, body, secret })
  const expected = (key: Buffer) =>
    `v1,${createHmac("sha256", key).update("msg_1.1700000000.").update(body).digest("base64")}`
  expect(sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).toBe(
    expected(Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64"))
  )
  expect(sign("geheim-ü")).toBe(expected(Buffer.from("geheim-ü", "utf8")))
})

test("an id with a full stop is not signed, nor a timestamp that is not whole seconds", () => {
  expect(() => signStandardWebhook({ id: "a.1", timestamp: 1, body, secret: "x" })).toThrow(/^id must be/)
  expect(() => signStandardWebhook({ id: "a", timestamp: 1.5, body, secret: "x" })).toThrow(/^timestamp must be/)
})

test("the vendor's word names the header", () => {
  expect(folderSignatureHeader("Tapedeck")).toBe("X-Tapedeck-Signature")
  expect(() => folderSignatureHeader("a b")).toThrow(/^vendor must be/)
})
