import { runInNewContext } from "node:vm"
import {
  type HeadersLike,
  isSigningError,
  type Secrets,
  type SignOptions,
  signSync,
  type VerifyOptions,
  verify,
  verifyResult,
  verifyResultSync,
  verifySync
} from "@tapedeck/signing"
import { describe, expect, test, vi } from "vitest"

const text = `{"title":"Übergröße 🎥"}`
const body = new TextEncoder().encode(text)
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const timestamp = 1_767_225_600
const now = timestamp * 1000

const standard = (more: Partial<SignOptions> = {}) =>
  signSync({ scheme: "standard", id: "msg_1", timestamp, body, secret, ...more } as SignOptions)
const folder = (given = secret) => signSync({ scheme: "folder", body, secret: given })
const audit = (given = secret) => signSync({ scheme: "audit", body, secret: given })

/** The code that a verification fails with. */
const codeOf = (options: VerifyOptions): string => {
  const result = verifyResultSync(options as Parameters<typeof verifyResultSync>[0])
  return result.ok ? "verified" : result.error.code
}

describe("the signature", () => {
  test("is found by its header, with the data of each scheme", async () => {
    expect(await verify({ body, headers: standard(), secret, now })).toEqual({
      scheme: "standard",
      secretIndex: 0,
      id: "msg_1",
      timestamp
    })
    expect(await verify({ body, headers: folder(), secret })).toEqual({ scheme: "folder", secretIndex: 0 })
    expect(await verify({ body, headers: audit(), secret })).toEqual({
      scheme: "audit",
      secretIndex: 0,
      encoding: "hex"
    })
  })

  test("of the strongest scheme present decides; a weaker valid one does not replace it", () => {
    const headers = { ...folder(), ...audit(), ...standard() }
    expect(verifySync({ body, headers, secret, now }).scheme).toBe("standard")
    expect(codeOf({ body, headers: { ...headers, "webhook-id": "msg_2" }, secret, now })).toBe("signature_mismatch")
    expect(codeOf({ body, headers, secret, now: now + 301_000 })).toBe("timestamp_too_old")
  })

  test("of the requested scheme decides, whatever other headers exist", () => {
    const headers = { ...folder(), ...audit(), ...standard() }
    for (const scheme of ["standard", "folder", "audit"] as const) {
      expect(verifySync({ body, headers, secret, scheme, now }).scheme).toBe(scheme)
    }
    expect(codeOf({ body, headers: folder(), secret, scheme: "standard" })).toBe("header_missing")
  })

  test("of an old request without its timestamp is refused if freshness is required", () => {
    const headers = folder()
    expect(codeOf({ body, headers, secret })).toBe("verified")
    expect(codeOf({ body, headers, secret, toleranceSeconds: 300 })).toBe("header_missing")
    expect(codeOf({ body, headers, secret, replayStore: { seen: () => false } })).toBe("header_missing")
  })

  test("of another vendor is found by that vendor's word in any case", () => {
    const headers = signSync({ scheme: "folder", body, secret, vendor: "Acme" })
    expect(verifySync({ body, headers, secret, vendor: "ACME" }).scheme).toBe("folder")
  })

  test("of another encoding than the configured one is malformed", () => {
    const headers = signSync({ scheme: "audit", body, secret, encoding: "base64" })
    expect(verifySync({ body, headers, secret })).toMatchObject({ encoding: "base64" })
    expect(codeOf({ body, headers, secret, encoding: "hex" })).toBe("header_malformed")
  })
})

describe("the body", () => {
  const other = runInNewContext("text => new Uint8Array(text)", {}) as (bytes: ReadonlyArray<number>) => Uint8Array
  const padded = new Uint8Array(body.length + 8)
  padded.set(body, 4)
  test.each([
    ["Uint8Array", body],
    ["a Uint8Array that is a view of more", padded.subarray(4, 4 + body.length)],
    ["Buffer", Buffer.from(body)],
    ["ArrayBuffer", body.slice().buffer],
    ["DataView", new DataView(padded.buffer, 4, body.length) as unknown as Uint8Array],
    ["string", text],
    ["a Uint8Array of another realm", other([...body])],
    ["an ArrayBuffer of another realm", other([...body]).buffer as ArrayBuffer]
  ])("is accepted as %s", async (_name, given) => {
    for (const headers of [standard(), folder(), audit()]) {
      expect(codeOf({ body: given, headers, secret, now })).toBe("verified")
      expect(await verify({ body: given, headers, secret, now })).toMatchObject({ secretIndex: 0 })
    }
  })

  test("is refused as a string with lone surrogates, which an encoder would change", () => {
    const headers = signSync({ scheme: "folder", body: "a\u{FFFD}", secret })
    expect(codeOf({ body: "a\u{FFFD}", headers, secret })).toBe("verified")
    expect(codeOf({ body: "a\uD800", headers, secret })).toBe("body_not_well_formed")
    expect(codeOf({ body: "a\uDC00\uD800", headers, secret })).toBe("body_not_well_formed")
    expect(codeOf({ body: "a🎥", headers, secret })).toBe("signature_mismatch")
  })
})

describe("the headers", () => {
  const signed = standard()
  const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]))
  const arrays = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]]))
  const shapes: ReadonlyArray<readonly [string, HeadersLike]> = [
    ["fetch Headers", new Headers(signed)],
    ["an object", signed],
    ["an object in upper case", upper],
    ["an object of arrays", arrays],
    ["an object without a prototype", Object.assign(Object.create(null), signed)],
    ["a Map", new Map(Object.entries(signed))],
    ["a Map in upper case", new Map(Object.entries(upper))],
    ["a Map of arrays", new Map(Object.entries(arrays))],
    ["IncomingHttpHeaders", { ...signed, host: "localhost", "set-cookie": ["a=b"], "x-none": undefined }]
  ]
  test.each(shapes)("are accepted as %s", (_name, headers) => {
    expect(codeOf({ body, headers, secret, now })).toBe("verified")
  })

  test("are one list for several webhook-signature headers, as an array and as Headers joins them", () => {
    const [first = "", second = ""] = [standard({ secret: "older" }), signed].map((each) => each["webhook-signature"])
    const joined = new Headers({ ...signed, "webhook-signature": first })
    joined.append("webhook-signature", second)
    expect(codeOf({ body, headers: { ...signed, "webhook-signature": [first, second] }, secret, now })).toBe("verified")
    expect(codeOf({ body, headers: joined, secret, now })).toBe("verified")
  })

  test("are malformed if a single header occurs twice", () => {
    const twice = (name: string, value = "") => ({ ...signed, [name]: [value, value] })
    for (const name of ["webhook-id", "webhook-timestamp"]) {
      expect(codeOf({ body, headers: twice(name, signed[name]), secret, now })).toBe("header_malformed")
    }
    const value = folder()["X-Tapedeck-Signature"] ?? ""
    expect(codeOf({ body, headers: { "x-tapedeck-signature": [value, value] }, secret })).toBe("header_malformed")
    const both = { "X-Tapedeck-Signature": value, "X-TAPEDECK-SIGNATURE": value }
    expect(codeOf({ body, headers: both, secret })).toBe("header_malformed")
  })

  test("are refused with an error if they are no headers at all, also without type checks", () => {
    for (const headers of [undefined, null, "webhook-id: 1"]) {
      expect(codeOf({ body, headers: headers as unknown as HeadersLike, secret })).toBe("option_invalid")
    }
    const number = { ...signed, "webhook-timestamp": timestamp } as unknown as HeadersLike
    expect(codeOf({ body, headers: number, secret, now })).toBe("header_malformed")
  })
})

describe("the secrets", () => {
  test("are identified in the result by the index of the matching one", async () => {
    const headers = folder("second")
    const given = { body, headers, secret: ["first", "second", "third"] }
    expect(verifySync(given).secretIndex).toBe(1)
    expect((await verify(given)).secretIndex).toBe(1)
    expect(codeOf({ ...given, secret: ["first", "third"] })).toBe("signature_mismatch")
  })

  test("are refused all together if one is invalid, though another matches", async () => {
    const refused: ReadonlyArray<readonly [unknown, string]> = [
      ["", "empty"],
      [undefined, "missing"],
      [null, "missing"],
      [7, "missing"],
      [new Uint8Array(0), "empty"],
      ["whsec_", "empty"],
      ["whsec_!", "not_base64"],
      ["a\uD800", "not_well_formed"]
    ]
    for (const [given, reason] of refused) {
      const both = { body, headers: folder(), secret: [secret, given] as Secrets }
      expect(await verifyResult(both)).toMatchObject({
        ok: false,
        error: { code: "secret_refused", data: { index: 1, reason } }
      })
    }
    expect(codeOf({ body, headers: folder(), secret: [] })).toBe("secret_refused")
    const hole: Array<string> = [secret]
    hole[2] = secret
    expect(codeOf({ body, headers: folder(), secret: hole })).toBe("secret_refused")
  })

  test("are refused below the caller's minimum length, which for whsec_ counts decoded bytes", () => {
    const with24 = { body, headers: standard(), secret, scheme: "standard", now } as const
    expect(codeOf({ ...with24, minSecretBytes: 24 })).toBe("verified")
    expect(codeOf({ ...with24, minSecretBytes: 25 })).toBe("secret_refused")
    expect(codeOf({ body, headers: folder("ü"), secret: "ü", minSecretBytes: 2 })).toBe("verified")
    expect(codeOf({ body, headers: folder("ü"), secret: "ü", minSecretBytes: 3 })).toBe("secret_refused")
  })

  test("can be key bytes as well as text", () => {
    const bytes = new TextEncoder().encode("s3cret")
    expect(codeOf({ body, headers: folder("s3cret"), secret: bytes })).toBe("verified")
    expect(codeOf({ body, headers: standard({ secret: "s3cret" }), secret: bytes, now })).toBe("verified")
  })
})

describe("the options", () => {
  test.each([
    [{ scheme: "none" }, "scheme must be one of auto, standard, folder, audit."],
    [{ encoding: "hexadecimal" }, "encoding must be one of hex, sha256=hex, base64."],
    [{ vendor: "a b" }, "vendor must be a word that a header name can hold."],
    [{ minSecretBytes: 0 }, "minSecretBytes must be an integer of at least 1."],
    [{ minSecretBytes: 1.5 }, "minSecretBytes must be an integer of at least 1."],
    [{ toleranceSeconds: -1 }, "toleranceSeconds must be a number of seconds, 0 or more."],
    [{ toleranceSeconds: Number.NaN }, "toleranceSeconds must be a number of seconds, 0 or more."],
    [
      { toleranceSeconds: 300, scheme: "folder" },
      "toleranceSeconds must be left out with scheme folder, whose signature covers no time."
    ],
    [
      { replayStore: { seen: () => false }, scheme: "audit" },
      "replayStore must be left out with scheme audit, whose signature covers no time."
    ],
    [{ replayStore: new Set() }, "replayStore must be an object with a function seen(id, until)."],
    [{ now: "yesterday" }, "now must be a date, milliseconds since 1970, or a function that gives one."],
    [{ now: () => new Date(Number.NaN) }, "now must be a date, milliseconds since 1970, or a function that gives one."]
  ])("refuse %o: %s", (options, message) => {
    const headers = "vendor" in options ? {} : standard()
    const given = { body, headers, secret, ...options } as VerifyOptions
    expect(() => verifySync(given as Parameters<typeof verifySync>[0])).toThrow(message)
  })

  test("accept the time as a date, milliseconds, or a function that returns either", () => {
    for (const given of [now, new Date(now), () => now, () => new Date(now)]) {
      expect(codeOf({ body, headers: standard(), secret, now: given })).toBe("verified")
    }
  })

  test("accept a promise of the time, except in verifySync", async () => {
    const given = { body, headers: standard(), secret }
    for (const promised of [now, new Date(now)]) {
      expect(await verify({ ...given, now: async () => promised })).toMatchObject({ scheme: "standard" })
    }
    await expect(verify({ ...given, now: async () => now + 301_000 })).rejects.toThrow("301")
    await expect(verify({ ...given, now: async () => Number.NaN })).rejects.toThrow("now must be a date")
    const failure = new Error("no clock")
    await expect(verify({ ...given, now: () => Promise.reject(failure) })).rejects.toBe(failure)
    const asynchronous = { ...given, now: async () => now } as unknown as Parameters<typeof verifySync>[0]
    expect(() => verifySync(asynchronous)).toThrow("now must be a date")
  })

  test("default to the runtime's time", () => {
    vi.useFakeTimers({ now: now + 301_000, toFake: ["Date"] })
    expect(codeOf({ body, headers: standard(), secret })).toBe("timestamp_too_old")
    vi.setSystemTime(now + 300_000)
    expect(codeOf({ body, headers: standard(), secret })).toBe("verified")
    vi.useRealTimers()
  })
})

test("the tolerance counts whole seconds, past and future alike", () => {
  const at = (seconds: number, toleranceSeconds?: number) =>
    codeOf({ body, headers: standard(), secret, now: now + seconds * 1000, toleranceSeconds })
  expect([at(300), at(300.999), at(301)]).toEqual(["verified", "verified", "timestamp_too_old"])
  expect([at(-300), at(-300.001), at(-301)]).toEqual(["verified", "timestamp_too_new", "timestamp_too_new"])
  expect([at(10, 10), at(11, 10), at(0, 0), at(1, 0)]).toEqual([
    "verified",
    "timestamp_too_old",
    "verified",
    "timestamp_too_old"
  ])
  expect(at(1e9, Number.POSITIVE_INFINITY)).toBe("verified")
})

test("an error of the caller's clock is thrown unchanged, also by the Result form", async () => {
  const broken = () => {
    throw new RangeError("no clock")
  }
  const options = { body, headers: standard(), secret, now: broken }
  expect(() => verifyResultSync(options)).toThrow(RangeError)
  await expect(verifyResult(options)).rejects.toThrow(RangeError)
})

test("an error of another copy of this package is recognized", () => {
  class SigningError extends Error {
    override readonly name = "SigningError"
    readonly code = "replayed"
  }
  expect(isSigningError(new SigningError())).toBe(true)
  expect(isSigningError(new Error("SigningError"))).toBe(false)
  expect(isSigningError({ name: "SigningError", code: "replayed" })).toBe(false)
})
