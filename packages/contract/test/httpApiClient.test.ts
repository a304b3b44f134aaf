import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { describe, expect, it } from "vitest"
import { nameOf } from "./httpApiClient.ts"

const ada = {
  email: "ada@acme.test",
  name: "Ada Lovelace",
  has_profile_picture: false,
  role: "admin",
  notifications: { notify_first_view: "Enabled", notify_all_recordings: "Enabled", notify_own_recordings: "Enabled" },
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z"
}

/** Runs the README's example against one response, and keeps the requests. */
const run = async (status: number, body: unknown) => {
  const requests: Array<Request> = []
  const answer: typeof fetch = async (input, init) => {
    requests.push(new Request(input, init))
    return Response.json(body, { status })
  }
  const http = FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, answer)))
  const call = nameOf("http://127.0.0.1:4010/worlds/w1", Redacted.make("secret"), "ada@acme.test")
  const result = await Effect.runPromise(call.pipe(Effect.result, Effect.provide(http)))
  return { result, requests }
}

describe("the README's HttpApiClient", () => {
  it("is the code that these tests run", async () => {
    const example = await readFile(join(import.meta.dirname, "httpApiClient.ts"), "utf8")
    expect(await readFile(join(import.meta.dirname, "../README.md"), "utf8")).toContain(`\`\`\`ts\n${example}\`\`\``)
  })

  it("sends the token to a path below the base URL that begins with the API's prefix", async () => {
    const { result, requests } = await run(200, ada)
    expect(result).toMatchObject({ _tag: "Success", success: "Ada Lovelace" })
    expect(requests.map(({ url }) => url)).toEqual([
      "http://127.0.0.1:4010/worlds/w1/api/v2/users/search?email=ada%40acme.test"
    ])
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer secret")
  })

  it("fails with the contract's error", async () => {
    const { result } = await run(404, { error: "No such user." })
    expect(result).toMatchObject({ _tag: "Failure", failure: { _tag: "NotFound", message: "No such user." } })
  })
})
