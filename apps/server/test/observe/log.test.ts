import { describe, expect, test } from "vitest"
import { jsonLine, type LogEntry, prettyLine } from "../../src/observe/log.ts"

const entry: LogEntry = {
  time: "2026-01-02T03:04:05.678Z",
  level: "error",
  message: "A request failed",
  fields: { request_id: "r-1", account_id: 1 },
  cause: undefined
}

describe("A log line", () => {
  test("is one flat object, whose standard keys its fields cannot replace", () => {
    const line = jsonLine({
      ...entry,
      fields: { ...entry.fields, time: "never", level: "none" },
      cause: "Error: a\n  at b"
    })
    expect(line).not.toContain("\n")
    expect(JSON.parse(line)).toEqual({
      time: "2026-01-02T03:04:05.678Z",
      level: "error",
      message: "A request failed",
      request_id: "r-1",
      account_id: 1,
      cause: "Error: a\n  at b"
    })
    expect(Object.keys(JSON.parse(line)).slice(0, 3)).toEqual(["time", "level", "message"])
  })

  test("has a readable text form", () => {
    expect(prettyLine({ ...entry, fields: { ...entry.fields, user_id: undefined }, cause: "Error: a" })).toBe(
      "03:04:05.678 ERROR A request failed request_id=r-1 account_id=1\nError: a"
    )
  })

  test.each([
    ["a token", "tdk_2mSokmjBO4El3z1E5bmpaCl3lCqIsjFAzl50RrBg2cixgU", "2mSok"],
    ["a session's cookie", "cookie: __Host-tapedeck_session=hVJc6QkJ-dG5qVw2n4c7rB1", "hVJc6"],
    ["a browser's cookie", "tapedeck_browser=hVJc6QkJ.dG5qVw2n4c7rB1", "dG5qV"],
    ["a password's hash", "$scrypt$ln=15,r=8,p=3$c2FsdHNhbHQ$aGFzaGhhc2g", "aGFzaGhhc2g"],
    ["a webhook secret", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "C2FVs"],
    ["a bearer token", "authorization: Bearer abc.def-ghi", "abc.def"],
    ["credentials in a URL", "https://ops:hunter2@collector.test/v1", "hunter2"],
    ["credentials with an @", "smtps://ops:hun@ter2@mail.test", "ter2"],
    ["a query", "GET /api/v2/users/search?email=kim%40customer.test failed", "customer.test"],
    ["a private key", "-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----", "MIGH"]
  ])("does not contain %s, in the message, a field or the cause", (_, text, secret) => {
    const lines = [{ message: text }, { fields: { note: text } }, { cause: `Error: ${text}` }]
    for (const line of lines) {
      expect(jsonLine({ ...entry, ...line })).not.toContain(secret)
      expect(() => JSON.parse(jsonLine({ ...entry, ...line }))).not.toThrow()
      expect(prettyLine({ ...entry, ...line })).not.toContain(secret)
    }
  })
})
