import { createHmac } from "node:crypto"
import { Readable } from "node:stream"
import { type Body, type SigningFailure, signSync, type VerifySyncOptions, verifyResultSync } from "@tapedeck/signing"
import { expect, test } from "vitest"
import { optionsOf, vectors } from "./support/vectors.ts"

const timestamp = 1_767_225_600
const secret = "correct horse battery staple"
const body = `{"title":"private words"}`
const signed = signSync({ scheme: "standard", id: "msg_1", timestamp, body, secret })
const good: VerifySyncOptions = { body, headers: signed, secret, now: timestamp * 1000 }

const errorOf = (change: Partial<VerifySyncOptions>): SigningFailure => {
  const result = verifyResultSync({ ...good, ...change })
  if (result.ok) throw new Error("it was verified")
  return result.error
}

test("the error for a missing header names similar headers", () => {
  const { "webhook-signature": signature = "", ...rest } = signed
  const headers = { ...rest, "X-Acme-Signature": "1", "Other-Signature": signature, host: "localhost" }
  const error = errorOf({ headers })
  expect(error).toMatchObject({
    code: "header_missing",
    data: {
      headers: ["webhook-signature", "x-webhook-signature", "x-tapedeck-signature"],
      similar: ["webhook-id", "webhook-timestamp", "X-Acme-Signature", "Other-Signature"]
    }
  })
  expect(error.message).toBe(
    "The header webhook-signature or x-webhook-signature or x-tapedeck-signature is missing. There are similar ones: " +
      "webhook-id, webhook-timestamp, X-Acme-Signature, Other-Signature. If it is one of these, say so with the options " +
      "scheme and vendor."
  )
  expect(errorOf({ headers: new Headers({ host: "localhost" }) }).message).toBe(
    "The header webhook-signature or x-webhook-signature or x-tapedeck-signature is missing. No header like it is " +
      "there: was this sent by the webhook sender, and does a proxy drop headers?"
  )
})

test("the error for a malformed header contains the expected form", () => {
  expect(errorOf({ headers: { ...signed, "webhook-timestamp": "1767225600junk" } }).message).toBe(
    "The header webhook-timestamp is malformed: expected unix time in whole seconds, in digits alone."
  )
})

test("the error for an old timestamp contains its age, and refers to the clock", () => {
  const error = errorOf({ now: (timestamp + 712) * 1000 })
  expect(error).toMatchObject({
    code: "timestamp_too_old",
    data: { timestamp, now: timestamp + 712, toleranceSeconds: 300, bySeconds: 412 }
  })
  expect(error.message).toBe(
    "The webhook-timestamp is too old by 412 s: it is 712 s behind this machine's clock, and 300 s are tolerated. Is that " +
      "clock right?"
  )
  expect(errorOf({ now: (timestamp - 712) * 1000 }).message).toMatch(
    /^The webhook-timestamp is too new by 412 s: it is 712 s ahead of/
  )
})

test("the error for a mismatch says what to compare, and if bytes were lost in decoding", () => {
  expect(errorOf({ body: `${body} ` }).message).toBe(
    "The signature in webhook-signature is not that of these 26 bytes with the secret. Compare the secret with the " +
      "sender's settings, and check that nothing changed the body: not even its spaces."
  )
  expect(errorOf({ body: "\u{FFFD}", secret: ["a", "b"] }).message).toBe(
    "The signature in webhook-signature is not that of these 3 bytes with any of the 2 secrets. The body is text with " +
      "U+FFFD in it: bytes were lost when it was decoded. Give the raw bytes."
  )
})

test("the error for a parsed body names its type, and how to get raw bytes in each framework", () => {
  const parsed: ReadonlyArray<readonly [unknown, string, string]> = [
    [JSON.parse(body), "object", "The body is not bytes (object): it was parsed already"],
    [[1], "array", "The body is not bytes (array): it was parsed already"],
    [7, "number", "The body is not bytes (number): it was parsed already"],
    [true, "boolean", "The body is not bytes (boolean): it was parsed already"],
    [
      JSON.parse(JSON.stringify(Buffer.from(body))),
      "serialized_buffer",
      "The body is a Buffer that was turned into JSON."
    ],
    [Readable.from([body]), "stream", "The body is a stream that was not read"],
    [new Response(body).body, "stream", "The body is a stream that was not read"],
    [new Request("http://localhost", { method: "POST", body }), "request", "The body is a whole request."]
  ]
  for (const [given, received, start] of parsed) {
    const error = errorOf({ body: given as Body })
    expect(error).toMatchObject({ code: "body_parsed", data: { received, framework: undefined } })
    expect(error.message.startsWith(start)).toBe(true)
    for (const cure of ["express.raw(", 'parseAs: "buffer"', "Koa", "bodyParser: false", "request.arrayBuffer()"]) {
      expect(error.message).toContain(cure)
    }
  }
  expect(errorOf({ body: undefined as unknown as Body })).toMatchObject({ code: "body_missing" })
})

test("the error's code narrows the type of its data", () => {
  const error = errorOf({ now: 0 })
  const seconds: number | undefined = error.code === "timestamp_too_new" ? error.data.bySeconds : undefined
  expect(seconds).toBe(timestamp - 300)
  expect(error).toBeInstanceOf(Error)
  expect(error.name).toBe("SigningError")
})

test("no message and no data contains a secret, the expected digest, or the body", () => {
  const marked = `${secret} marked`
  const text = `{"marked":"body text"}`
  const changes: ReadonlyArray<Partial<VerifySyncOptions>> = [
    { body: text },
    { secret: marked },
    { secret: [marked, ""] },
    { secret: "whsec_marked and no base64" },
    { secret: marked, minSecretBytes: 1000 },
    { now: 0 },
    { headers: {} },
    { headers: { ...signed, "webhook-signature": "v1,!" } }
  ]
  const expected = createHmac("sha256", secret).update(`msg_1.${timestamp}.`).update(text).digest()
  for (const change of changes) {
    const error = errorOf(change)
    const told = `${error.message} ${JSON.stringify(error)} ${error.stack}`
    for (const hidden of ["marked", secret, expected.toString("hex"), expected.toString("base64")]) {
      expect(told).not.toContain(hidden)
    }
  }
})

test("no error of a shared vector contains a secret", () => {
  for (const [, file, vector] of vectors) {
    const result = verifyResultSync(optionsOf(file, vector))
    if (result.ok) continue
    const told = JSON.stringify([result.error.message, result.error.data])
    for (const given of vector.secrets) if (given.length > 1) expect(told).not.toContain(given)
  }
})
