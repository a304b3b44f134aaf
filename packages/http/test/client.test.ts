import { v1, v2 } from "@tapedeck/contract"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { beforeAll, describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { handler, makeWorld, type TestWorld } from "./world.ts"

/** A client made from the contract alone, on the app: both sides of every definition fit each other. */

let world: TestWorld
beforeAll(async () => {
  world = await makeWorld()
})

const withToken = (name: string) =>
  Layer.mergeAll(
    HttpApiMiddleware.layerClient(v2.Authentication, ({ next, request }) =>
      next(HttpClientRequest.bearerToken(request, `${name}-token`))
    ),
    HttpApiMiddleware.layerClient(v1.Authentication, ({ next, request }) =>
      next(HttpClientRequest.bearerToken(request, `${name}-token`))
    )
  )

const options = {
  transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl("http://localhost"))
}

const clients = Effect.all({ v2: HttpApiClient.make(v2.Api, options), v1: HttpApiClient.make(v1.Api, options) })

type Clients = Effect.Success<typeof clients>

const json = { "content-type": "application/json" }

/** How a download is refused where the service answers so. */
const asAnswered = (response: Response) =>
  as(
    "ada",
    ({ v2 }) => Effect.flip(v2.recordings.download({ params: { uuid: ids.adas }, headers: {} })),
    world,
    async () => response
  )

const as = <A, E>(
  name: string,
  use: (clients: Clients) => Effect.Effect<A, E>,
  { context }: TestWorld = world,
  fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init), context)
) => {
  return Effect.runPromise(
    Effect.flatMap(clients, use).pipe(
      Effect.provide([
        withToken(name),
        FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch)))
      ])
    )
  )
}

describe("a client of the contract", () => {
  it("lists, searches, reads and changes recordings", async () => {
    const page = await as("ada", ({ v2 }) =>
      v2.recordings.list({ query: { ticket_id: "4711", provider: "freshchat", page: 1 } })
    )
    expect(page.records.map(({ uuid }) => uuid)).toEqual([ids.freshchat])
    const changed = await as("ada", ({ v2 }) =>
      v2.recordings.update({ params: { uuid: ids.adas }, payload: { recording: { summary: "New" } } })
    )
    expect(changed).toEqual(await as("ada", ({ v2 }) => v2.recordings.get({ params: { uuid: ids.adas } })))
    const transcript = await as("ada", ({ v2 }) =>
      v2.recordings.transcript({ params: { uuid: ids.bobs }, query: { page: 2 } })
    )
    expect(transcript.segments).toHaveLength(100)
    expect((await as("ada", ({ v2 }) => v2.users.list({ query: {} }))).users).toHaveLength(3)
    expect((await as("ada", ({ v2 }) => v2.users.search({ query: { email: "bob@acme.test" } }))).name).toBe("Bob")
    const flat = await as("bob", ({ v1 }) => v1.recordings.get({ params: { uuid: ids.bobs } }))
    expect(flat.platform).toBe("Win32")
    expect((await as("bob", ({ v1 }) => v1.recordings.list({ query: { page: 1 } }))).records).toHaveLength(2)
  })

  it.each([
    ["unknown", "Unauthenticated"],
    ["nia", "Forbidden"],
    ["cy", "NotFound"]
  ])("catches a refusal by its tag: %s gets %s", async (name, tag) => {
    const { v1, v2 } = await as(name, (clients) =>
      Effect.all({
        v2: Effect.flip(clients.v2.recordings.get({ params: { uuid: ids.bobs } })),
        v1: Effect.flip(clients.v1.recordings.get({ params: { uuid: ids.bobs } }))
      })
    )
    expect([v2._tag, v1._tag]).toEqual([tag, tag])
    expect(v2.message).toBe(v1.message)
  })

  it("catches the headers of a refusal: Retry-After, Allow, the file's size", async () => {
    const answered = (status: number, headers: Record<string, string>) =>
      asAnswered(new Response(JSON.stringify({ error: "No" }), { status, headers: { ...json, ...headers } }))
    expect(await answered(429, { "retry-after": "17" })).toMatchObject({
      _tag: "TooManyRequests",
      message: "No",
      retryAfterSeconds: 17
    })
    expect(await answered(503, { "retry-after": "3" })).toMatchObject({
      _tag: "ServiceUnavailable",
      retryAfterSeconds: 3
    })
    expect(await answered(405, { allow: "GET, HEAD" })).toMatchObject({
      _tag: "MethodNotAllowed",
      allow: ["GET", "HEAD"]
    })
    expect(await answered(416, { "content-range": "bytes */123" })).toMatchObject({
      _tag: "RangeNotSatisfiable",
      sizeBytes: 123
    })
    // What something on the way took out, or wrote otherwise, is no reason to lose the refusal.
    for (const headers of [{}, { "retry-after": "Mon, 23 Nov 2026 10:00:00 GMT" }]) {
      expect(await answered(429, headers)).toMatchObject({
        _tag: "TooManyRequests",
        message: "No",
        retryAfterSeconds: 0
      })
    }
  })

  it("catches the waiting time of the rate limit", async () => {
    const limited = await makeWorld({ config: { rateLimit: { requests: 1, perMs: 60_000 } } })
    const refusals = await as(
      "ada",
      ({ v1, v2 }) =>
        Effect.gen(function* () {
          yield* v2.users.list({ query: {} })
          return [
            yield* Effect.flip(v2.users.list({ query: {} })),
            yield* Effect.flip(v1.recordings.list({ query: { page: 1 } }))
          ]
        }),
      limited
    )
    expect(refusals).toMatchObject([
      { _tag: "TooManyRequests", retryAfterSeconds: 60 },
      { _tag: "TooManyRequests", retryAfterSeconds: 60 }
    ])
  })

  it("catches a refused value", async () => {
    const refusal = await as("ada", ({ v2 }) =>
      Effect.flip(v2.recordings.update({ params: { uuid: ids.adas }, payload: { recording: { title: " " } } }))
    )
    expect(refusal).toMatchObject({ _tag: "Unprocessable", message: "title must not be blank" })
  })
})
