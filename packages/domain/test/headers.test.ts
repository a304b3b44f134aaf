import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { validateHeaders, validateWebhookUrl } from "../src/index.ts"

const errorsOf = (headers: Readonly<Record<string, unknown>>) =>
  Result.getOrThrow(Result.flip(validateHeaders(headers, "Tapedeck")))

describe("custom headers (W8)", () => {
  it("are accepted unchanged", () => {
    const headers = { Authorization: "Bearer a b", "X-Api-Key": "k", "Content-Type": "text/plain", "x-empty": "" }
    expect(validateHeaders(headers, "Tapedeck")).toEqual(Result.succeed(headers))
    expect(validateHeaders({ "X-Name": "Jörg" }, "Tapedeck")).toEqual(Result.succeed({ "X-Name": "Jörg" }))
    expect(validateHeaders({}, "Tapedeck")).toEqual(Result.succeed({}))
  })

  it.each([
    "Host",
    "content-length",
    "Transfer-Encoding",
    "CONNECTION",
    "Webhook-Id",
    "webhook-timestamp",
    "webhook-signature",
    "X-Webhook-Signature",
    "x-tapedeck-signature",
    "Expect",
    "TE",
    "Trailer",
    "Keep-Alive",
    "Proxy-Connection",
    "Upgrade",
    "content-encoding"
  ])("cannot be %s, which the service sets", (header) => {
    expect(errorsOf({ [header]: "x" })).toEqual([
      { header, message: "is set by the service and cannot be a custom header" }
    ])
  })

  it("may have the name of another vendor's signature header", () => {
    expect(Result.isSuccess(validateHeaders({ "X-Tapedeck-Signature": "x" }, "Other"))).toBe(true)
    expect(Result.isFailure(validateHeaders({ "X-Other-Signature": "x" }, "Other"))).toBe(true)
  })

  it.each(["", "a b", "X:Y", "naïve", "a\r\nb", "a(b)"])("cannot be named %j", (header) => {
    expect(errorsOf({ [header]: "x" })).toEqual([{ header, message: "is not a valid header name" }])
  })

  it.each(["a\r\nX-Evil: 1", "a\nb", "a\u0000", "a\tb", "a\u007f", "a\u0085", "€", "😀", "\ud800"])(
    "cannot have the value %j",
    (value) => {
      expect(errorsOf({ "X-A": value })).toEqual([
        { header: "X-A", message: "has a value with a character that a header cannot carry" }
      ])
    }
  )

  it.each([1, null, ["a"], { a: 1 }, true])("cannot have the value %j, which is not a string", (value) => {
    expect(errorsOf({ "X-A": value })).toEqual([{ header: "X-A", message: "must have a string as its value" }])
  })

  it("report every error at once, with the header's name and never its value", () => {
    const errors = errorsOf({ Host: "secret", "X-A": "secret\n", "X-B": "ok", "x-b": "secret", "X-C": " secret" })
    expect(errors.map(({ header }) => header)).toEqual(["Host", "X-A", "x-b", "X-C"])
    expect(JSON.stringify(errors)).not.toContain("secret")
  })
})

describe("a webhook's URL", () => {
  const problemOf = (text: string, allowHttp = false): string =>
    Result.getOrThrow(Result.flip(validateWebhookUrl(text, { allowHttp }))).message

  it.each([
    "https://crm.example.com/hooks?key=1",
    "https://crm.example.com:8443",
    "https://[2001:db8::1]/",
    "HTTPS://A.b"
  ])("may be %s", (text) => {
    expect(validateWebhookUrl(text, { allowHttp: false })).toEqual(Result.succeed(text))
  })

  it("may be plain HTTP only if the rules allow it", () => {
    expect(problemOf("http://127.0.0.1:3000/")).toBe("must begin with https://")
    expect(Result.isSuccess(validateWebhookUrl("http://127.0.0.1:3000/", { allowHttp: true }))).toBe(true)
    expect(problemOf("ftp://a.test/", true)).toBe("must begin with https:// or http://")
  })

  it.each([
    ["", "must be an absolute URL"],
    ["crm.example.com/hooks", "must be an absolute URL"],
    ["https://", "must be an absolute URL"],
    ["https:crm.example.com", "must be an absolute URL"],
    ["https://a.test:99999/", "must be an absolute URL"],
    ["javascript:alert(1)", "must begin with https://"],
    ["file:///etc/passwd", "must begin with https://"],
    [" https://a.test/", "must not contain white space, control characters or backslashes"],
    ["https://a.test/\r\nX: 1", "must not contain white space, control characters or backslashes"],
    ["https:\\\\a.test/", "must not contain white space, control characters or backslashes"],
    ["https://user:pass@a.test/", "must not contain a user name or password (use an Authorization header)"]
  ])("cannot be %j", (text, message) => {
    expect(problemOf(text)).toBe(message)
  })
})
