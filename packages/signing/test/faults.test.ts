/** The faults that were found by running standardwebhooks 1.1.1, each beside what we do. */
import {
  signSync,
  type VerifySyncOptions,
  verifyEventResultSync,
  verifyResultSync,
  verifySync
} from "@tapedeck/signing"
import * as standardwebhooks from "standardwebhooks"
import { afterAll, beforeAll, expect, test, vi } from "vitest"

const timestamp = 1_767_225_600
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const theirs = new standardwebhooks.Webhook(secret)

beforeAll(() => {
  vi.useFakeTimers({ now: timestamp * 1000, toFake: ["Date"] })
})
afterAll(() => {
  vi.useRealTimers()
})

const signed = (body: string | Uint8Array, id = "msg_1") =>
  signSync({ scheme: "standard", id, timestamp, body, secret }) as Record<string, string>
const theirSignature = (body: string, id: string, at = timestamp) => ({
  "webhook-id": id,
  "webhook-timestamp": String(at),
  "webhook-signature": theirs.sign(id, new Date(at * 1000), body)
})
const codeOf = (options: VerifySyncOptions) => {
  const result = verifyResultSync(options)
  return result.ok ? "verified" : result.error.code
}

test("an empty key is refused when it is given, before the first verification", () => {
  expect(() => new standardwebhooks.Webhook("whsec_")).toThrow("Secret can't be empty.")
  for (const empty of ["", "whsec_"]) expect(codeOf({ body: "{}", headers: {}, secret: empty })).toBe("secret_refused")
})

test("fetch Headers are verified, which standardwebhooks refuses", () => {
  const headers = new Headers(signed("{}"))
  expect(() => theirs.verify("{}", headers as unknown as Record<string, string>)).toThrow("Missing required headers")
  expect(codeOf({ body: "{}", headers, secret })).toBe("verified")
})

test("array values are verified, on which standardwebhooks throws a TypeError", () => {
  const headers = Object.fromEntries(Object.entries(signed("{}")).map(([name, value]) => [name, [value]]))
  expect(() => theirs.verify("{}", headers as unknown as Record<string, string>)).toThrow(TypeError)
  expect(codeOf({ body: "{}", headers, secret })).toBe("verified")
})

test("bytes that are not UTF-8 are distinguished, for which standardwebhooks gives one signature", () => {
  const [one, other] = [Buffer.from([0x22, 0xff, 0x22]), Buffer.from([0x22, 0xfe, 0x22])]
  const headers = {
    ...theirSignature("", "msg_1"),
    "webhook-signature": theirs.sign("msg_1", new Date(timestamp * 1000), one)
  }
  expect(theirs.verify(other, headers)).toBe("\u{FFFD}")
  expect(codeOf({ body: one, headers: signed(one), secret })).toBe("verified")
  expect(codeOf({ body: other, headers: signed(one), secret })).toBe("signature_mismatch")
})

test("an id with a full stop is refused, which standardwebhooks confuses with the separator", () => {
  const honest = theirSignature(`${timestamp}.{}`, "a")
  const forged = { ...honest, "webhook-id": `a.${timestamp}` }
  expect(theirs.verify("{}", forged)).toEqual({})
  expect(codeOf({ body: "{}", headers: forged, secret })).toBe("header_malformed")
  expect(() => signed("{}", `a.${timestamp}`)).toThrow(/^id must be/)
})

test("junk after a timestamp is refused, which standardwebhooks ignores", () => {
  const headers = { ...signed("{}"), "webhook-timestamp": `${timestamp}junk` }
  expect(theirs.verify("{}", headers)).toEqual({})
  expect(codeOf({ body: "{}", headers, secret })).toBe("header_malformed")
})

test("a body that is not JSON is verified and gives a named error, for which standardwebhooks throws a SyntaxError", () => {
  const headers = signed("no JSON")
  expect(() => theirs.verify("no JSON", headers)).toThrow(SyntaxError)
  expect(verifySync({ body: "no JSON", headers, secret })).toMatchObject({ id: "msg_1" })
  expect(verifyEventResultSync({ body: "no JSON", headers, secret })).toMatchObject({
    error: { code: "event_not_json" }
  })
})
