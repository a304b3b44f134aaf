import { createHmac } from "node:crypto"
import type { AuditEncoding, FailureCode, Scheme } from "@tapedeck/signing"

/** One case of `vectors/*.json`. Headers are pairs, as on the wire; bodies are base64, since not all of them are text. */
export interface Vector {
  readonly name: string
  readonly secrets: ReadonlyArray<string>
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body_base64: string
  /** The receiver's clock, unix seconds. */
  readonly now: number
  /** `secret_index` counts from 0; `code` is the error of @tapedeck/signing. */
  readonly expected:
    | { readonly valid: true; readonly secret_index: number }
    | { readonly valid: false; readonly code: FailureCode }
}

export interface VectorFile {
  readonly scheme: Scheme
  readonly about: string
  readonly tolerance_seconds?: number
  readonly vendor?: string
  readonly cases: ReadonlyArray<Vector>
}

const now = 1_767_225_600
const secret = "correct horse battery staple"
const other = "Tr0ub4dor&3"
const text = `{"event":"recording.added_to_folder","recording":{"title":"Login fails"}}`

// On purpose not this package's own code: what is proved must not be its own proof.
const hmac = (key: string | Buffer, ...parts: ReadonlyArray<string | Buffer>) => {
  const state = createHmac("sha256", key)
  for (const part of parts) state.update(part)
  return state.digest()
}

const base64 = (body: string | Buffer) => Buffer.from(body as string).toString("base64")
const good = (secret_index = 0) => ({ valid: true, secret_index }) as const
const bad = (code: FailureCode) => ({ valid: false, code }) as const

/** What becomes another text in decoders that repair, normalize, trim or stop. */
const bodies: ReadonlyArray<readonly [name: string, body: string | Buffer]> = [
  ["an empty body", ""],
  ["text beyond ASCII", `{"title":"Übergröße 録画 🎥"}`],
  ["a byte order mark before the JSON", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])],
  ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x80, 0x22, 0x7d])],
  ["an overlong encoding", Buffer.from([0xc0, 0xaf])],
  ["half of a surrogate pair in CESU-8", Buffer.from([0xed, 0xa0, 0x80])],
  ["U+FFFD itself, as sent", "\u{FFFD}"],
  ["a decomposed letter, not normalized", "e\u0301"],
  ["a NUL in the middle", "a\0b"],
  ["carriage returns and a newline at the end", `{\r\n  "a": 1\r\n}\n`],
  ["spaces at both ends", "  {}  "],
  ["numbers that a JSON parser would write otherwise", `{"a":1.0,"b":1e3,"c":12345678901234567890}`],
  ["4096 bytes", "x".repeat(4096)]
]

const folderFile = (): VectorFile => {
  const header = "X-Tapedeck-Signature"
  const sign = (key: string, body: string | Buffer) => `sha256=${hmac(key, body as string).toString("hex")}`
  const right = sign(secret, text)
  const hex = right.slice(7)
  const one = (
    name: string,
    headers: Vector["headers"],
    expected: Vector["expected"],
    { secrets = [secret], body = text as string | Buffer } = {}
  ): Vector => ({ name, secrets, headers, body_base64: base64(body), now, expected })
  const malformed = (name: string, value: string) => one(name, [[header, value]], bad("header_malformed"))
  return {
    scheme: "folder",
    about:
      "X-<Vendor>-Signature: sha256= and the lower-case hex of HMAC-SHA256 over the body, keyed with the secret's UTF-8 bytes.",
    vendor: "Tapedeck",
    cases: [
      one("a good signature", [[header, right]], good()),
      one("a header name in lower case", [["x-tapedeck-signature", right]], good()),
      one("a header name in upper case", [["X-TAPEDECK-SIGNATURE", right]], good()),
      ...bodies.map(([name, body]) => one(name, [[header, sign(secret, body)]], good(), { body })),
      one("a secret beyond ASCII", [[header, sign("schlüssel 🔑", text)]], good(), { secrets: ["schlüssel 🔑"] }),
      one("a whsec_ secret is keyed with its text here", [[header, sign("whsec_c2VjcmV0", text)]], good(), {
        secrets: ["whsec_c2VjcmV0"]
      }),
      one("a secret longer than SHA-256's block", [[header, sign("k".repeat(200), text)]], good(), {
        secrets: ["k".repeat(200)]
      }),
      one("rotation: the first of two secrets", [[header, right]], good(0), { secrets: [secret, other] }),
      one("rotation: the second of two secrets", [[header, right]], good(1), { secrets: [other, secret] }),
      one("rotation: none of two secrets", [[header, right]], bad("signature_mismatch"), { secrets: [other, "x"] }),
      one("another secret", [[header, right]], bad("signature_mismatch"), { secrets: [other] }),
      one("a secret with a newline at its end", [[header, right]], bad("signature_mismatch"), {
        secrets: [`${secret}\n`]
      }),
      one("one byte of the body changed", [[header, right]], bad("signature_mismatch"), {
        body: text.replace("L", "l")
      }),
      one("a newline after the body", [[header, right]], bad("signature_mismatch"), { body: `${text}\n` }),
      one("a body that was parsed and written again", [[header, right]], bad("signature_mismatch"), {
        body: JSON.stringify(JSON.parse(text), null, 1)
      }),
      one(
        "no UTF-8, signed as a decoder repaired it",
        [[header, sign(secret, "\u{FFFD}")]],
        bad("signature_mismatch"),
        {
          body: Buffer.from([0xff])
        }
      ),
      one(
        "one digit of the signature changed",
        [[header, right.slice(0, -1) + (right.endsWith("0") ? "1" : "0")]],
        bad("signature_mismatch")
      ),
      one("no header", [], bad("header_missing")),
      one("another vendor's header", [["X-Acme-Signature", right]], bad("header_missing")),
      malformed("an empty header", ""),
      malformed("no prefix", hex),
      malformed("a prefix in upper case", `SHA256=${hex}`),
      malformed("another algorithm", `sha1=${hex.slice(0, 40)}`),
      malformed("hex in upper case", `sha256=${hex.toUpperCase()}`),
      malformed("hex cut short", right.slice(0, -1)),
      malformed("one digit too many", `${right}0`),
      malformed("a letter that is no hex digit", `${right.slice(0, -1)}g`),
      malformed("base64 instead of hex", `sha256=${hmac(secret, text).toString("base64")}`),
      malformed("two signatures in one header", `${right}, ${right}`),
      one("an empty secret", [[header, sign("", text)]], bad("secret_refused"), { secrets: [""] }),
      one("an empty secret after one that matches", [[header, right]], bad("secret_refused"), {
        secrets: [secret, ""]
      }),
      one("no secrets at all", [[header, right]], bad("secret_refused"), { secrets: [] })
    ]
  }
}

const auditFile = (): VectorFile => {
  const header = "X-Webhook-Signature"
  const spell = (digest: Buffer): Readonly<Record<AuditEncoding, string>> => ({
    hex: digest.toString("hex"),
    "sha256=hex": `sha256=${digest.toString("hex")}`,
    base64: digest.toString("base64")
  })
  const right = spell(hmac(secret, text))
  const wrong = spell(hmac(other, text))
  const encodings: ReadonlyArray<AuditEncoding> = ["hex", "sha256=hex", "base64"]
  const one = (
    name: string,
    headers: Vector["headers"],
    expected: Vector["expected"],
    { secrets = [secret], body = text as string | Buffer } = {}
  ): Vector => ({ name, secrets, headers, body_base64: base64(body), now, expected })
  const malformed = (name: string, value: string) => one(name, [[header, value]], bad("header_malformed"))
  return {
    scheme: "audit",
    about:
      "X-Webhook-Signature: HMAC-SHA256 over the body, keyed with the secret's UTF-8 bytes, as hex, sha256=hex or base64.",
    cases: [
      ...encodings.map((encoding) => one(`a good signature as ${encoding}`, [[header, right[encoding]]], good())),
      ...encodings.map((encoding) =>
        one(`another secret, as ${encoding}`, [[header, wrong[encoding]]], bad("signature_mismatch"))
      ),
      ...bodies.map(([name, body]) => one(name, [[header, spell(hmac(secret, body)).base64]], good(), { body })),
      one("rotation: the second of two secrets", [[header, right.base64]], good(1), { secrets: [other, secret] }),
      one("no header", [], bad("header_missing")),
      malformed("an empty header", ""),
      malformed("hex in upper case", right.hex.toUpperCase()),
      malformed("base64 without its padding", right.base64.slice(0, -1)),
      malformed("base64 of 31 bytes", Buffer.alloc(31).toString("base64")),
      malformed("base64 of 33 bytes", Buffer.alloc(33).toString("base64")),
      malformed("base64 with a spare bit set", `${right.base64.slice(0, 42)}${nextLetter(right.base64[42] ?? "")}=`),
      malformed(
        "base64 of the URL alphabet",
        hmac(secret, "6").toString("base64").replaceAll("+", "-").replaceAll("/", "_")
      ),
      malformed("base64 with a space in it", ` ${right.base64.slice(1)}`),
      malformed("the base64 of the hex", base64(right.hex)),
      one("an empty secret", [[header, right.hex]], bad("secret_refused"), { secrets: [""] }),
      one("no secrets at all", [[header, right.hex]], bad("secret_refused"), { secrets: [] })
    ]
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const nextLetter = (letter: string) => alphabet.charAt(alphabet.indexOf(letter) + 1)

/** What differs from a good delivery. */
interface StandardVariant {
  readonly secrets?: ReadonlyArray<string>
  readonly body?: string | Buffer
  /** The body that the signature is made over, where it is not the one that is sent. */
  readonly signed?: string | Buffer
  readonly messageId?: string
  readonly timestamp?: string
  readonly signature?: string
  readonly headers?: Vector["headers"]
  readonly at?: number
}

const standardFile = (): VectorFile => {
  const whsec = `whsec_${Buffer.from("0123456789abcdef01234567").toString("base64")}`
  const keyOf = (given: string) =>
    given.startsWith("whsec_") ? Buffer.from(given.slice(6), "base64") : Buffer.from(given, "utf8")
  const entry = (given: string, id: string, timestamp: string, body: string | Buffer) =>
    `v1,${hmac(keyOf(given), `${id}.${timestamp}.`, body as string).toString("base64")}`
  const id = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W"
  const one = (name: string, expected: Vector["expected"], variant: StandardVariant = {}): Vector => {
    const { secrets = [whsec], body = text, messageId = id, timestamp = String(now), at = now } = variant
    const { signature = entry(secrets[0] ?? "", messageId, timestamp, variant.signed ?? body) } = variant
    const headers = variant.headers ?? [
      ["webhook-id", messageId],
      ["webhook-timestamp", timestamp],
      ["webhook-signature", signature]
    ]
    return { name, secrets, headers, body_base64: base64(body), now: at, expected }
  }
  const right = entry(whsec, id, String(now), text)
  const signatureMalformed = (name: string, signature: string) => one(name, bad("header_malformed"), { signature })
  const timestampMalformed = (name: string, timestamp: string) => one(name, bad("header_malformed"), { timestamp })
  const without = (missing: string): Vector["headers"] =>
    (
      [
        ["webhook-id", id],
        ["webhook-timestamp", String(now)],
        ["webhook-signature", right]
      ] as const
    ).filter(([name]) => name !== missing)
  return {
    scheme: "standard",
    about:
      "Standard Webhooks: webhook-signature holds v1, and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the decoded bytes of a whsec_ secret, else with the secret's UTF-8 bytes.",
    tolerance_seconds: 300,
    cases: [
      one("a good signature", good()),
      one("header names in upper case", good(), {
        headers: [
          ["WEBHOOK-ID", id],
          ["WEBHOOK-TIMESTAMP", String(now)],
          ["WEBHOOK-SIGNATURE", right]
        ]
      }),
      ...bodies.map(([name, body]) => one(name, good(), { body })),
      one("a secret without whsec_ is keyed with its UTF-8 bytes", good(), { secrets: ["schlüssel 🔑"] }),
      one("a secret without whsec_ that looks like base64 is still text", good(), { secrets: ["c2VjcmV0c2VjcmV0"] }),
      one("a whsec_ secret without padding", good(), { secrets: ["whsec_c2VjcmV0IQ"] }),
      one("rotation: the second of two secrets", good(1), { secrets: [other, whsec], signature: right }),
      one("rotation: the second of two entries", good(), {
        signature: `${entry(other, id, String(now), text)} ${right}`
      }),
      one("rotation: the first of two entries", good(), {
        signature: `${right} ${entry(other, id, String(now), text)}`
      }),
      one("entries joined by a comma and a space", good(), {
        signature: `${entry(other, id, String(now), text)}, ${right}`
      }),
      one("an entry of another version is passed over", good(), { signature: `v1a,AAAA v2,???? ${right}` }),
      one("an entry that is malformed is passed over", good(), { signature: `v1,AAAA junk ${right}` }),
      one("a timestamp at the end of what is tolerated", good(), { at: now + 300 }),
      one("a timestamp at the end of what is tolerated ahead", good(), { at: now - 300 }),
      one("a timestamp one second too old", bad("timestamp_too_old"), { at: now + 301 }),
      one("a timestamp 412 s too old", bad("timestamp_too_old"), { at: now + 712 }),
      one("a timestamp one second too new", bad("timestamp_too_new"), { at: now - 301 }),
      one("another secret", bad("signature_mismatch"), { secrets: [other], signature: right }),
      one("whsec_ with its text as the key", bad("signature_mismatch"), {
        signature: `v1,${hmac(whsec, `${id}.${now}.`, text).toString("base64")}`
      }),
      one("another id than the signed one", bad("signature_mismatch"), { messageId: "msg_other", signature: right }),
      one("another timestamp than the signed one", bad("signature_mismatch"), {
        timestamp: String(now + 1),
        signature: right
      }),
      one("another body than the signed one", bad("signature_mismatch"), { body: `${text} `, signed: text }),
      one("an id that takes the timestamp's place", bad("header_malformed"), {
        messageId: `a.${now}`,
        timestamp: String(now),
        body: "{}",
        signature: entry(whsec, "a", String(now), `${now}.{}`)
      }),
      one("an id with a space", bad("header_malformed"), { messageId: "msg 1" }),
      one("an empty id", bad("header_malformed"), { messageId: "" }),
      one("an id beyond ASCII", bad("header_malformed"), { messageId: "msg_é" }),
      timestampMalformed("junk after the timestamp", `${now}junk`),
      timestampMalformed("a timestamp with a fraction", `${now}.0`),
      timestampMalformed("a timestamp with a sign", `+${now}`),
      timestampMalformed("a timestamp with a leading zero", `0${now}`),
      timestampMalformed("a timestamp in hex", "0x69559d80"),
      timestampMalformed("an empty timestamp", ""),
      timestampMalformed("a timestamp beyond 64 bits", "99999999999999999999"),
      one("a timestamp in the far future", bad("timestamp_too_new"), { timestamp: "999999999999999" }),
      timestampMalformed("a date instead of seconds", "2026-01-01T00:00:00Z"),
      signatureMalformed("an empty signature", ""),
      signatureMalformed("no version", right.slice(3)),
      signatureMalformed("base64 cut short", right.slice(0, -2)),
      signatureMalformed("base64 of 31 bytes", `v1,${Buffer.alloc(31).toString("base64")}`),
      signatureMalformed("base64 of 33 bytes", `v1,${Buffer.alloc(33).toString("base64")}`),
      signatureMalformed("base64 with a spare bit set", `${right.slice(0, 45)}${nextLetter(right[45] ?? "")}=`),
      signatureMalformed("hex instead of base64", `v1,${hmac(keyOf(whsec), `${id}.${now}.`, text).toString("hex")}`),
      signatureMalformed("too many entries", Array(17).fill(right).join(" ")),
      signatureMalformed("entries of other versions and a malformed v1 entry", "v2,AAAA v1,AAAA"),
      one("only entries of other versions", bad("signature_version_unknown"), { signature: "v2,AAAA v1a,AAAA" }),
      one("a version in upper case", bad("header_malformed"), { signature: right.replace("v1", "V1") }),
      one("no id", bad("header_missing"), { headers: without("webhook-id") }),
      one("no timestamp", bad("header_missing"), { headers: without("webhook-timestamp") }),
      one("no signature", bad("header_missing"), { headers: without("webhook-signature") }),
      one("an empty secret", bad("secret_refused"), { secrets: [""], signature: right }),
      one("whsec_ with nothing after it", bad("secret_refused"), { secrets: ["whsec_"], signature: right }),
      one("whsec_ and no base64", bad("secret_refused"), { secrets: ["whsec_not base64!"], signature: right }),
      one("a whsec_ secret with a newline at its end", bad("secret_refused"), { secrets: [`${whsec}\n`] }),
      one("a whsec_ secret with a space in it", bad("secret_refused"), {
        secrets: [whsec.replace("MDEy", "MD Ey")],
        signature: right
      }),
      one("no secrets at all", bad("secret_refused"), { secrets: [] }),
      one("an empty secret after one that matches", bad("secret_refused"), { secrets: [whsec, ""], signature: right })
    ]
  }
}

/** The files of `vectors/`, by name. */
export const makeVectors = (): Readonly<Record<string, VectorFile>> => ({
  "folder.json": folderFile(),
  "audit.json": auditFile(),
  "standard.json": standardFile()
})
