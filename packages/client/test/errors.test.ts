import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import * as client from "../src/index.ts"
import { makeClient, reply } from "./support/fake.ts"

describe("errors", () => {
  it.each([
    [400, "BadRequestError", client.BadRequestError],
    [401, "UnauthorizedError", client.UnauthorizedError],
    [403, "ForbiddenError", client.ForbiddenError],
    [404, "NotFoundError", client.NotFoundError],
    [409, "ConflictError", client.ConflictError],
    [413, "TapedeckError", client.TapedeckError],
    [422, "UnprocessableEntityError", client.UnprocessableEntityError],
    [429, "TooManyRequestsError", client.TooManyRequestsError],
    [500, "InternalServerError", client.InternalServerError],
    [507, "InternalServerError", client.InternalServerError]
  ] as const)("map the status %i to %s, in v2's shape and in v1's", async (status, name, Class) => {
    for (const body of [{ error: "No" }, { error: { message: "No", code: status } }]) {
      const { tapedeck } = makeClient([reply(status, body)], { maxRetries: 0 })
      const error: unknown = await tapedeck.v1.recordings.get("r").catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(Class)
      expect(error).toBeInstanceOf(client.TapedeckError)
      expect(error).toMatchObject({ name, message: "No", status, body, requestId: "req-1" })
    }
  })

  it("contain the text of an answer that is not JSON, up to 1,000 characters", async () => {
    const { tapedeck } = makeClient([reply(502, `<html>${"x".repeat(2000)}`)], { maxRetries: 0 })
    const error = await tapedeck.recordings.get("r").catch((caught: unknown) => caught)
    expect(error).toMatchObject({ message: "The service answered 502", status: 502 })
    expect(String((error as client.TapedeckError).body)).toHaveLength(1000)
  })

  it("report a 200 that is not JSON, as behind a wrong baseUrl", async () => {
    const { tapedeck } = makeClient([reply(200, "<html>")])
    await expect(tapedeck.recordings.get("r")).rejects.toThrow("The response is not JSON: is baseUrl")
  })

  it.each([
    ["fetch failed", new TypeError("fetch failed")],
    ["connect ECONNREFUSED", new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") })],
    // Node has no message if several addresses refuse the connection.
    [
      "ECONNREFUSED",
      new TypeError("fetch failed", { cause: Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }) })
    ]
  ])(
    "name the URL without its query, and %j as the reason, with the error of fetch as their cause",
    async (reason, cause) => {
      const fail = () => {
        throw cause
      }
      const { tapedeck } = makeClient([fail], { maxRetries: 0 })
      const error = await tapedeck.recordings.list({ ticket_id: "4711" }).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(client.ConnectionError)
      expect((error as Error).cause).toBe(cause)
      expect((error as Error).message).toBe(`Connection to https://rec.test/api/v2/recordings failed: ${reason}`)
    }
  )
})

describe("the token", () => {
  const lines: Array<unknown> = []
  const logger = {
    debug: (...line: Array<unknown>) => lines.push(line),
    warn: (...line: Array<unknown>) => lines.push(line)
  }

  it("appears in no error, log line or inspected object, even if the service echoes it", async () => {
    const { seen, tapedeck } = makeClient([reply(403, { error: "tdk_secret may not" }, { "x-other": "1" })], { logger })
    const error = await tapedeck.recordings.list({ ticket_id: "4711" }).catch((caught: unknown) => caught)
    const deep = { depth: 20, showHidden: true }
    expect(seen[0]?.headers.get("authorization")).toBe("Bearer tdk_secret")
    expect((error as Error).message).toBe("[redacted] may not")
    for (const thing of [error, tapedeck, lines]) expect(inspect(thing, deep)).not.toContain("tdk_secret")
    expect(JSON.stringify(error)).not.toContain("tdk_secret")
    expect((error as Error).stack).not.toContain("tdk_secret")
  })

  it("does not appear in the error for invalid settings of a client", () => {
    const make = () => new client.Tapedeck({ baseUrl: "https://rec.test", token: "tdk secret" })
    expect(make).toThrow("token must be one word of visible ASCII")
    expect(make).not.toThrow("tdk secret")
  })

  it("the log contains neither query nor body", async () => {
    lines.length = 0
    const { tapedeck } = makeClient([reply(200, { pagination: { count: 0 }, records: [] })], { logger })
    await tapedeck.recordings.list({ ticket_id: "4711" })
    expect(lines).toHaveLength(1)
    expect(JSON.stringify(lines)).not.toContain("4711")
    expect(JSON.stringify(lines)).toContain("/api/v2/recordings")
  })
})

describe("settings", () => {
  it.each([
    [{ baseUrl: "rec.test" }, "baseUrl must be an http:// or https:// address"],
    [{ baseUrl: "https://u:p@rec.test" }, "baseUrl must be an http:// or https:// address"],
    [{ baseUrl: "https://rec.test/?a=1" }, "baseUrl must be an http:// or https:// address"],
    [{ baseUrl: "https://rec.test/api/v2" }, "without user, query, fragment and /api/v2"],
    [{ baseUrl: "https://rec.test/tapedeck/api/v1/" }, "without user, query, fragment and /api/v2"],
    [{ baseUrl: undefined }, "baseUrl must be given"],
    [{ token: undefined }, "token must be given"],
    [{ maxRetries: -1 }, "maxRetries must be an integer of at least 0"],
    [{ maxRetries: 1.5 }, "maxRetries must be an integer of at least 0"],
    [{ timeoutMs: 0 }, "timeoutMs must be a number of milliseconds"],
    [{ timeoutMs: 2 ** 31 }, "timeoutMs must be a number of milliseconds"]
  ])("refuse %j when the client is created", (options, message) => {
    expect(() => new client.Tapedeck({ baseUrl: "https://rec.test", token: "t", ...options })).toThrow(message)
  })

  it("take the address and the token from the environment", async () => {
    process.env.TAPEDECK_BASE_URL = "https://from-env.test/"
    process.env.TAPEDECK_TOKEN = "tdk_env"
    const { seen, tapedeck } = makeClient([reply(200, {})], { baseUrl: undefined, token: undefined })
    await tapedeck.recordings.get("r").finally(() => {
      delete process.env.TAPEDECK_BASE_URL
      delete process.env.TAPEDECK_TOKEN
    })
    expect(seen[0]?.url.href).toBe("https://from-env.test/api/v2/recordings/r")
    expect(seen[0]?.headers.get("authorization")).toBe("Bearer tdk_env")
  })
})
