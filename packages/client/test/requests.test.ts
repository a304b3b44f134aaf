import { describe, expect, it } from "vitest"
import { makeClient, reply } from "./support/fake.ts"

describe("a request", () => {
  it("has the token, the version, and its parameters encoded", async () => {
    const { seen, tapedeck } = makeClient([reply(200, {})])
    await tapedeck.settings.folders.get("a/b c?")
    await tapedeck.users.search("ada+x@acme.test")
    expect(seen[0]?.url.href).toBe("https://rec.test/api/settings/folders/a%2Fb%20c%3F")
    expect(seen[1]?.url.search).toBe("?email=ada%2Bx%40acme.test")
    expect(seen[0]?.headers.get("user-agent")).toMatch(/^tapedeck-client\/\S+ node\/\d+/)
  })

  it("sends v2's changes below `recording`, as JSON", async () => {
    const { seen, tapedeck } = makeClient([reply(200, { title: "Paid" })])
    expect(await tapedeck.recordings.update("r", { title: "Paid" })).toEqual({ title: "Paid" })
    expect(seen[0]).toMatchObject({ method: "PATCH", body: { recording: { title: "Paid" } } })
    expect(seen[0]?.headers.get("content-type")).toBe("application/json")
  })

  it("signs in without a token", async () => {
    const { seen, tapedeck } = makeClient([reply(200, {})])
    await tapedeck.settings.signIn.withPassword({ email: "ada@acme.test", password: "correct horse" })
    expect(seen[0]?.headers.has("authorization")).toBe(false)
  })

  it("can override every setting", async () => {
    const { seen, tapedeck } = makeClient([reply(200, {})], { headers: { "X-One": "client", "X-Two": "client" } })
    await tapedeck.recordings.get("r", {
      baseUrl: "https://other.test/worlds/w1",
      token: "t2",
      headers: { "x-two": "own" }
    })
    expect(seen[0]?.url.href).toBe("https://other.test/worlds/w1/api/v2/recordings/r")
    expect(Object.fromEntries(seen[0]!.headers)).toMatchObject({
      authorization: "Bearer t2",
      "x-one": "client",
      "x-two": "own"
    })
  })

  it("runs the hooks around each attempt", async () => {
    const events: Array<string> = []
    const { seen, tapedeck } = makeClient([reply(200, { title: "x" })], {
      onRequest: (request) => {
        request.headers["x-trace"] = `t-${request.attempt}`
        events.push(`${request.method} ${new URL(request.url).pathname}`)
      },
      onResponse: (response, { attempt }) => {
        events.push(`${attempt}: ${response.status}`)
      }
    })
    await tapedeck.recordings.get("r")
    expect(events).toEqual(["GET /api/v2/recordings/r", "1: 200"])
    expect(seen[0]?.headers.get("x-trace")).toBe("t-1")
  })

  it("returns the response beside the data", async () => {
    const { tapedeck } = makeClient([reply(200, { title: "x" }, { etag: '"1"' })])
    const { data, requestId, response } = await tapedeck.recordings.get("r").withResponse()
    expect(data).toEqual({ title: "x" })
    expect(requestId).toBe("req-1")
    expect(response.headers.get("etag")).toBe('"1"')
  })

  it("returns nothing for a 204", async () => {
    const { tapedeck } = makeClient([reply(204, undefined)])
    expect(await tapedeck.settings.folders.delete("vip")).toBeUndefined()
  })

  it("reads a response of 64 MiB, and refuses a larger one", async () => {
    const mib = 1024 * 1024
    const body = (bytes: number) => () => {
      let left = bytes
      return new Response(
        new ReadableStream({
          pull: (controller) => {
            const size = Math.min(left, mib)
            left -= size
            if (size === 0) return controller.close()
            controller.enqueue(new Uint8Array(size).fill(0x20))
          }
        })
      )
    }
    const { tapedeck } = makeClient([body(64 * mib), body(64 * mib + 1)], { maxRetries: 0 })
    await expect(tapedeck.recordings.get("r")).rejects.toThrow("The response is not JSON")
    await expect(tapedeck.recordings.get("r")).rejects.toThrow("The response is larger than 64 MiB")
  })
})
