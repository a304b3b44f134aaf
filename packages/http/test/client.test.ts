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

const as = <A, E>(name: string, use: (clients: Clients) => Effect.Effect<A, E>) => {
  const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init), world.context)
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
  it("lists, searches, reads and changes", async () => {
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
    expect((await as("ada", ({ v2 }) => v2.users.list({ query: {} }))).users).toHaveLength(4)
    expect((await as("ada", ({ v2 }) => v2.users.search({ query: { email: "bob@acme.test" } }))).name).toBe("Bob")
    const flat = await as("bob", ({ v1 }) => v1.recordings.get({ params: { uuid: ids.bobs } }))
    expect(flat.platform).toBe("Win32")
    expect((await as("bob", ({ v1 }) => v1.recordings.list({ query: { page: 1 } }))).records).toHaveLength(2)
  })

  it.each([
    ["nobody", "Unauthenticated"],
    ["nia", "Forbidden"],
    ["cy", "NotFound"]
  ])("catches what it is refused by tag, as %s", async (name, tag) => {
    const { v1, v2 } = await as(name, (clients) =>
      Effect.all({
        v2: Effect.flip(clients.v2.recordings.get({ params: { uuid: ids.bobs } })),
        v1: Effect.flip(clients.v1.recordings.get({ params: { uuid: ids.bobs } }))
      })
    )
    expect([v2._tag, v1._tag]).toEqual([tag, tag])
    expect(v2.message).toBe(v1.message)
  })

  it("catches a refused value", async () => {
    const refusal = await as("ada", ({ v2 }) =>
      Effect.flip(v2.recordings.update({ params: { uuid: ids.adas }, payload: { recording: { title: " " } } }))
    )
    expect(refusal).toMatchObject({ _tag: "Unprocessable", message: "title must not be blank" })
  })
})
