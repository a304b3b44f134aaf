import { describe, expect, it, layer } from "@effect/vitest"
import { Tapedeck } from "@tapedeck/client/effect"
import { Emulator, EmulatorError } from "@tapedeck/emulator/effect"
import { Clock, Effect, Exit, Layer, Scope, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { asAda, helpdesk, recordingUuid } from "./support/helpdesk.ts"

const helpdeskLayer = Emulator.layer({ fixtures: helpdesk })

describe("Emulator.layer", () => {
  layer(helpdeskLayer)((it) => {
    it.effect("provides the world as effects, on its own clock", () =>
      Effect.gen(function* () {
        const emulator = yield* Emulator
        const world = yield* emulator.fork()
        yield* world.sinks.respond("crm", [500, "timeout", 200])
        const made = yield* world.addToFolder("vip", recordingUuid)
        const { fired, now } = yield* world.clock.advance({ until: "idle" })
        expect(fired.map(({ elapsed_ms, outcome }) => [elapsed_ms, outcome])).toEqual([
          [0, "failure"],
          [60_000, "timeout"],
          [360_000, "success"]
        ])
        expect((yield* world.deliveries()).map(({ id, state }) => [id, state])).toEqual([[made[0], "delivered"]])
        expect((yield* world.sinks.get("crm")).requests).toHaveLength(3)
        expect((yield* world.journal.read({ kind: "attempt" })).entries).toHaveLength(3)
        expect(now).toBe("2026-01-01T00:06:00.000Z")
        expect(yield* world.clock.now).toEqual(new Date(now))
        // The test's own clock stands where it stood.
        expect(yield* Clock.currentTimeMillis).toBe(0)
        expect(yield* emulator.deliveries()).toEqual([])
        yield* world.remove()
      })
    )

    it.effect("answers requests in process, and opens its socket on first use", () =>
      Effect.gen(function* () {
        const emulator = yield* Emulator
        expect(emulator.tokens).toEqual({ "ada@acme.test": "ada-token" })
        const response = yield* emulator.fetch(`/api/v2/recordings/${recordingUuid}`, asAda)
        expect(yield* Effect.promise(() => response.json())).toMatchObject({ title: "Checkout fails" })
        const [url, control] = [yield* emulator.url, yield* emulator.control]
        expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
        expect(control).toBe(`${url}/_emulator`)
        const answered = yield* Effect.promise(() => fetch(control))
        expect(answered.status).toBe(200)
      })
    )

    it.effect("answers an HttpClient, whatever the origin", () =>
      Effect.gen(function* () {
        const world = yield* (yield* Emulator).createWorld({ fixtures: helpdesk })
        const get = HttpClientRequest.get(`https://api.vendor.test/api/v2/recordings/${recordingUuid}`).pipe(
          HttpClientRequest.bearerToken("ada-token"),
          HttpClient.execute,
          Effect.flatMap((response) => response.json),
          Effect.provide(FetchHttpClient.layer.pipe(Layer.provide(world.layerFetch)))
        )
        expect(yield* get).toMatchObject({ title: "Checkout fails" })
        expect((yield* world.journal.read({ kind: "request" })).entries).toMatchObject([
          { method: "GET", path: `/api/v2/recordings/${recordingUuid}`, status: 200, user: "ada@acme.test" }
        ])
      })
    )

    it.effect("answers the client of `@tapedeck/client/effect` without a socket", () =>
      Effect.gen(function* () {
        const world = yield* (yield* Emulator).createWorld({ fixtures: helpdesk })
        const client = Tapedeck.layer({ baseUrl: "https://api.vendor.test", token: "ada-token" }).pipe(
          Layer.provide(FetchHttpClient.layer.pipe(Layer.provide(world.layerFetch)))
        )
        const titles = Effect.gen(function* () {
          const tapedeck = yield* Tapedeck
          const made = yield* tapedeck.settings.recordings.create({ title: "Made" })
          yield* tapedeck.settings.recordings.move(made.uuid, { folder_id: "vip" })
          return yield* Stream.runCollect(Stream.map(tapedeck.recordings.list(), ({ title }) => title))
        })
        expect(yield* Effect.provide(titles, client)).toEqual(["Made", "Checkout fails"])
        expect(yield* world.deliveries()).toHaveLength(1)
      })
    )

    it.effect("fails with a typed error that has the status and each problem's path", () =>
      Effect.gen(function* () {
        const emulator = yield* Emulator
        const refused = yield* Effect.flip(emulator.clock.advance({ by: "soon" }))
        expect(refused).toBeInstanceOf(EmulatorError)
        expect(refused).toMatchObject({ _tag: "EmulatorError", status: 400, problems: [{ path: "by" }] })
        const unknown = yield* Effect.catchTag(emulator.sinks.get("none"), "EmulatorError", ({ status }) =>
          Effect.succeed(status)
        )
        expect(unknown).toBe(404)
        const taken = yield* Effect.flip(emulator.createWorld({ id: "default" }))
        expect(taken.status).toBe(409)
      })
    )

    it.effect("fails with a typed error if a fault reset the connection", () =>
      Effect.gen(function* () {
        const world = yield* (yield* Emulator).createWorld({ id: "reset" })
        yield* world.faults.create({ match: {}, respond: ["reset"] })
        const failed = yield* Effect.flip(world.fetch("/api/v2/recordings"))
        expect(failed).toMatchObject({ _tag: "FetchFailed", message: "fetch failed: the connection was reset" })
      })
    )

    it.effect("aborts the request on interruption", () =>
      Effect.gen(function* () {
        const emulator = yield* Emulator
        const aborted = yield* Effect.flip(emulator.fetch("/api/v2/recordings", { signal: AbortSignal.abort() }))
        expect(aborted._tag).toBe("FetchFailed")
      })
    )
  })

  it.effect("reports every error of the options", () =>
    Effect.gen(function* () {
      const broken = Emulator.layer({ now: "soon", fixtures: { users: [{ email: "ada@acme.test", name: "" }] } })
      const error = yield* Effect.flip(Effect.scoped(Layer.build(broken)))
      expect(error).toMatchObject({ _tag: "EmulatorError", status: 400 })
      expect(error.problems.map(({ path }) => path)).toEqual(["now", "users[0].name"])
    })
  )

  it.effect("closes with its scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const emulator = yield* Effect.map(Layer.buildWithScope(helpdeskLayer, scope), (context) =>
        Emulator.pipe(Effect.provideContext(context))
      ).pipe(Effect.flatten)
      const url = yield* emulator.url
      yield* Scope.close(scope, Exit.void)
      const refused = yield* Effect.flip(Effect.tryPromise(() => fetch(url)))
      expect(String(refused.cause)).toContain("fetch failed")
    })
  )
})
