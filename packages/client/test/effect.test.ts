import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { openApiSettings, openApiV1, openApiV2 } from "@tapedeck/contract"
import { Effect, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type CallError, FileChanged, NotFound, type Tapedeck, TooManyRequests } from "../src/effect/index.ts"
import { broken, clientOf, folder, through } from "./support/effect.ts"
import { malformed, never, type Reply, reply } from "./support/fake.ts"

describe("an operation as an Effect", () => {
  it.effect("sends path, query, token and version, and returns the value that the contract's schema decodes", () => {
    const { run, seen } = clientOf([reply(200, { ...folder("a b"), added_later: 1 })])
    return Effect.gen(function* () {
      expect(yield* run((tapedeck) => tapedeck.settings.folders.get("a b/c"))).toEqual(folder("a b"))
      expect(seen[0]?.url.href).toBe("https://rec.test/at/api/settings/folders/a%20b%2Fc")
      expect(seen[0]?.headers.get("authorization")).toBe("Bearer tdk_secret")
      expect(seen[0]?.headers.get("user-agent")).toMatch(/^tapedeck-client\/\S+ node\/\d+/)
    })
  })

  it.effect("sends v2's changes below `recording`, as JSON, and signs in without a token", () => {
    const { run, seen } = clientOf([reply(404, { error: "Recording not found" })])
    return Effect.gen(function* () {
      yield* Effect.flip(run((tapedeck) => tapedeck.recordings.update("r", { title: "Paid" })))
      yield* Effect.flip(
        run((tapedeck) => tapedeck.settings.signIn.withPassword({ email: "ada@acme.test", password: "correct horse" }))
      )
      expect(seen[0]).toMatchObject({ method: "PATCH", body: { recording: { title: "Paid" } } })
      expect(seen[1]?.headers.has("authorization")).toBe(false)
    })
  })

  it.effect("accepts a redacted token, further headers, and null for no token", () => {
    const { run, seen } = clientOf([reply(200, folder("a"))], { token: Redacted.make("t2"), headers: { "x-one": "1" } })
    const other = clientOf([reply(200, folder("a"))], { token: null })
    return Effect.gen(function* () {
      yield* run((tapedeck) => tapedeck.settings.folders.get("a"))
      yield* other.run((tapedeck) => tapedeck.settings.folders.get("a"))
      expect(Object.fromEntries(seen[0]!.headers)).toMatchObject({ authorization: "Bearer t2", "x-one": "1" })
      expect(other.seen[0]?.headers.has("authorization")).toBe(false)
    })
  })

  it.effect("fails with the contract's error of a refusal, for v1 and v2", () => {
    const { run } = clientOf([
      reply(404, { error: "Recording not found" }),
      reply(404, { error: { message: "Recording not found", code: 404 } }),
      reply(429, { error: "slow" }, { "retry-after": "61" })
    ])
    return Effect.gen(function* () {
      const found = yield* run((tapedeck) =>
        tapedeck.recordings.get("r").pipe(Effect.catchTag("NotFound", ({ message }) => Effect.succeed(message)))
      )
      expect(found).toBe("Recording not found")
      const ofV1 = yield* Effect.flip(run((tapedeck) => tapedeck.v1.recordings.get("r")))
      expect(ofV1).toEqual(new NotFound({ message: "Recording not found" }))
      const limited = yield* Effect.flip(run((tapedeck) => tapedeck.recordings.get("r")))
      expect(limited).toEqual(new TooManyRequests({ message: "slow", retryAfterSeconds: 61 }))
    })
  })

  it.effect("fails with a SchemaError if the answer does not match the contract", () => {
    const { run, seen } = clientOf([reply(200, { id: 1 }, { "content-type": "application/json" })])
    return Effect.gen(function* () {
      const error = yield* Effect.flip(run((tapedeck) => tapedeck.settings.folders.get("a")))
      expect(error._tag).toBe("SchemaError")
      expect(seen).toHaveLength(1)
    })
  })

  it.effect("reads what a service of another version answers: other values, formats, limits and fields", () => {
    const user = { email: "no address", name: "x".repeat(5000), role: "auditor", created_at: "2026-01-01T00:00:00Z" }
    const { run, seen } = clientOf([reply(200, user)])
    return Effect.gen(function* () {
      expect(yield* run((tapedeck) => tapedeck.users.search("ada@acme.test"))).toEqual(user)
      yield* run((tapedeck) => tapedeck.settings.users.update("1", { role: "auditor" }))
      expect(seen[1]?.body).toEqual({ role: "auditor" })
      yield* Effect.flip(run((tapedeck) => Stream.runDrain(tapedeck.settings.deliveries.list({ state: "paused" }))))
      expect(seen[2]?.url.search).toBe("?state=paused")
    })
  })

  it.effect("fails with the contract's error of a refusal that a proxy wrote", () => {
    const { run } = clientOf(
      [
        reply(404, "<html>", { "content-type": "text/html" }),
        reply(404, undefined),
        reply(429, { error: "slow" }, { "retry-after": "Thu, 01 Jan 1970 00:02:00 GMT" }),
        ...malformed.map((value) => reply(429, { error: "slow" }, { "retry-after": value }))
      ],
      { maxRetries: 0 }
    )
    return Effect.gen(function* () {
      const get = Effect.flip(run((tapedeck) => tapedeck.recordings.get("r")))
      expect(yield* get).toEqual(new NotFound({ message: "The service answered 404" }))
      expect(yield* Effect.flip(run((tapedeck) => tapedeck.v1.recordings.get("r")))).toEqual(
        new NotFound({ message: "The service answered 404" })
      )
      expect(yield* get).toEqual(new TooManyRequests({ message: "slow", retryAfterSeconds: 120 }))
      for (const _ of malformed)
        expect(yield* get).toEqual(new TooManyRequests({ message: "slow", retryAfterSeconds: 0 }))
    })
  })

  it.effect("shows the token in no error, even if the service echoes it", () => {
    const { run, seen } = clientOf([reply(404, { error: "tdk_secret may not" }), broken], { maxRetries: 0 })
    return Effect.gen(function* () {
      const refused = yield* Effect.flip(run((tapedeck) => tapedeck.settings.folders.get("a")))
      const failed = yield* Effect.flip(run((tapedeck) => tapedeck.settings.folders.get("a")))
      expect(seen[1]?.headers.get("authorization")).toBe("Bearer tdk_secret")
      expect(refused.message).toBe("[redacted] may not")
      for (const error of [refused, failed]) {
        expect(inspect(error, { depth: 20 })).not.toContain("tdk_secret")
        expect(JSON.stringify(error)).not.toContain("tdk_secret")
      }
    })
  })

  it.effect("refuses a body of more than 64 MiB", () => {
    const bodyOf = (sizeBytes: number): Reply => {
      const piece = new Uint8Array(1024 * 1024).fill(0x20)
      let left = sizeBytes
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (left === 0) return controller.close()
        controller.enqueue(piece.subarray(0, left))
        left -= Math.min(left, piece.length)
      }
      return () => new Response(new ReadableStream({ pull }), { headers: { "content-type": "application/json" } })
    }
    const limit = 64 * 1024 * 1024
    const { run } = clientOf([bodyOf(limit), bodyOf(limit + 1)])
    return Effect.gen(function* () {
      const atLimit = yield* Effect.flip(run((tapedeck) => tapedeck.settings.folders.get("a")))
      expect(atLimit._tag).toBe("SchemaError")
      const beyond = yield* Effect.flip(run((tapedeck) => tapedeck.settings.folders.get("a")))
      expect(beyond.message).toContain("The response is larger than 64 MiB")
    })
  })
})

describe("retries", () => {
  it.effect.each([408, 429, 502, 503, 504])("resend a read that was answered %i, after 0.5 s and 1 s", (status) => {
    const { run, seen } = clientOf([reply(status, { error: "no" })])
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(run((tapedeck) => tapedeck.settings.folders.get("a"))))
      const settle = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      for (const [ms, attempts] of [
        [374, 1],
        [126, 2],
        [749, 2],
        [251, 3],
        [60_000, 3]
      ] as const) {
        yield* Effect.repeat(settle, { times: 5 })
        yield* TestClock.adjust(ms)
        yield* Effect.repeat(settle, { times: 5 })
        expect(seen).toHaveLength(attempts)
      }
      yield* Fiber.join(fiber)
    })
  })

  it.effect("return the result of the next attempt after a broken connection or an incomplete body", () => {
    const cut: Reply = () =>
      new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) }), {
        headers: { "content-type": "application/json" }
      })
    const { run, seen } = clientOf([broken, cut, reply(200, folder("a"))])
    return Effect.gen(function* () {
      expect(yield* through(run((tapedeck) => tapedeck.settings.folders.get("a")))).toEqual(folder("a"))
      expect(seen).toHaveLength(3)
    })
  })

  it.effect("exclude other refusals, PATCH, DELETE and POSTs without a key, and everything with maxRetries 0", () => {
    const refused = clientOf([reply(500, { error: "no" })])
    const busy = clientOf([reply(503, { error: "no" })])
    const none = clientOf([broken], { maxRetries: 0 })
    return Effect.gen(function* () {
      yield* Effect.flip(refused.run((tapedeck) => tapedeck.settings.folders.get("a")))
      expect(refused.seen).toHaveLength(1)
      for (const call of [
        (tapedeck: Tapedeck["Service"]) => Effect.asVoid(tapedeck.settings.folders.update("a", { name: "b" })),
        (tapedeck: Tapedeck["Service"]) => tapedeck.settings.folders.delete("a"),
        (tapedeck: Tapedeck["Service"]) => tapedeck.settings.sessions.signOut()
      ]) {
        yield* Effect.flip(busy.run(call))
      }
      expect(busy.seen.map(({ method }) => method)).toEqual(["PATCH", "DELETE", "POST"])
      yield* Effect.flip(none.run((tapedeck) => tapedeck.settings.folders.get("a")))
      expect(none.seen).toHaveLength(1)
    })
  })

  it.effect("resend a POST that accepts an Idempotency-Key with one key, a new one for each run", () => {
    const { run, seen } = clientOf([reply(503, { error: "no" })])
    return Effect.gen(function* () {
      const create = run((tapedeck) => tapedeck.settings.folders.create({ name: "VIP" }))
      yield* through(Effect.flip(create))
      yield* through(Effect.flip(create))
      yield* through(
        Effect.flip(run((tapedeck) => tapedeck.settings.folders.create({ name: "VIP" }, { idempotencyKey: "own" })))
      )
      const keys = seen.map(({ headers }) => headers.get("idempotency-key"))
      expect(keys).toHaveLength(9)
      expect(new Set(keys.slice(0, 3)).size).toBe(1)
      expect(new Set(keys.slice(0, 6)).size).toBe(2)
      expect(keys.slice(6)).toEqual(["own", "own", "own"])
    })
  })

  it.effect("wait up to a minute for Retry-After, and fail at once if it is longer", () => {
    const minute = clientOf([reply(429, { error: "no" }, { "retry-after": "60" }), reply(200, folder("a"))])
    const longer = clientOf([reply(429, { error: "no" }, { "retry-after": "61" })])
    return Effect.gen(function* () {
      yield* through(minute.run((tapedeck) => tapedeck.settings.folders.get("a")))
      expect(minute.seen).toHaveLength(2)
      yield* Effect.flip(longer.run((tapedeck) => tapedeck.settings.folders.get("a")))
      expect(longer.seen).toHaveLength(1)
    })
  })

  it.effect("exclude a TimeoutError, which occurs if no headers arrive within timeoutMs", () => {
    const { run, seen } = clientOf([never], { timeoutMs: 1000 })
    return Effect.gen(function* () {
      const error = yield* through(Effect.flip(run((tapedeck) => tapedeck.settings.folders.get("a"))))
      expect(error).toMatchObject({ _tag: "TimeoutError", message: "Nothing came from the service for 1000 ms" })
      expect(seen).toHaveLength(1)
    })
  })
})

describe("files", () => {
  const headers = {
    "content-type": "video/x-matroska",
    "content-length": "5",
    "content-disposition": 'attachment; filename="a.mkv"',
    etag: '"1"'
  }

  it.effect("downloads bytes of any type as a stream, and a part of the same version", () => {
    const part = { ...headers, "content-length": "2", "content-range": "bytes 1-2/5" }
    const { run, seen } = clientOf([reply(200, "bytes", headers), reply(206, "yt", part), reply(200, "other", headers)])
    return run((tapedeck) =>
      Effect.gen(function* () {
        const video = yield* tapedeck.recordings.download("r")
        expect(video).toMatchObject({ contentType: "video/x-matroska", sizeBytes: 5, filename: "a.mkv", etag: '"1"' })
        expect(yield* Stream.mkString(Stream.decodeText(video.stream))).toBe("bytes")
        const some = yield* video.range(1, 2)
        expect(yield* Stream.mkString(Stream.decodeText(some.stream))).toBe("yt")
        expect(some.sizeBytes).toBe(5)
        expect(seen[1]?.headers.get("range")).toBe("bytes=1-2")
        expect(seen[1]?.headers.get("if-range")).toBe('"1"')
        expect(yield* Effect.flip(video.range(0))).toBeInstanceOf(FileChanged)
      })
    )
  })

  it.effect("fails with the refusal of a download, and with a timeout if it stalls", () => {
    const stalled: Reply = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { headers })
    const { run } = clientOf([reply(409, { error: "There is no video file yet." }), stalled], { timeoutMs: 1000 })
    return Effect.gen(function* () {
      expect((yield* Effect.flip(run((tapedeck) => tapedeck.recordings.download("r"))))._tag).toBe("Conflict")
      const read = run((tapedeck) =>
        Effect.flatMap(tapedeck.recordings.download("r"), ({ stream }) => Stream.runDrain(stream))
      )
      expect((yield* through(Effect.flip(read)))._tag).toBe("TimeoutError")
    })
  })

  it.effect("uploads bytes with retries, and a stream once, with their media type", () => {
    const { run, seen } = clientOf([reply(503, { error: "no" })])
    const contentType = "video/webm"
    return Effect.gen(function* () {
      const bytes = new TextEncoder().encode("bytes")
      const ofBytes = run(({ settings }) =>
        settings.recordings.upload("r", bytes, { version: "edited" }, { contentType })
      )
      yield* through(Effect.flip(ofBytes))
      expect(seen).toHaveLength(3)
      expect(seen[0]?.url.search).toBe("?version=edited")
      expect(seen[0]?.headers.get("content-type")).toBe(contentType)
      expect(seen[0]?.body).toEqual(bytes)
      yield* through(Effect.flip(run(({ settings }) => settings.recordings.upload("r", Stream.make(bytes)))))
      expect(seen).toHaveLength(4)
      expect(seen[3]?.headers.get("content-type")).toBe("application/octet-stream")
    })
  })

  it.effect("imports a transcript as JSON, and as text of its media type", () => {
    const { run, seen } = clientOf([reply(404, { error: "no" })])
    return Effect.gen(function* () {
      const segments = [{ start: 0, end: 1, text: "Hello" }]
      yield* Effect.flip(run(({ settings }) => settings.transcripts.import("r", { segments })))
      const vtt = "WEBVTT\n"
      yield* Effect.flip(run(({ settings }) => settings.transcripts.import("r", vtt, { contentType: "text/vtt" })))
      expect(seen.map(({ headers }) => headers.get("content-type"))).toEqual(["application/json", "text/vtt"])
      expect(new TextDecoder().decode(seen[1]?.body as Uint8Array)).toBe(vtt)
    })
  })
})

type Called = Effect.Effect<unknown, CallError> | Stream.Stream<unknown, CallError>

/** An operation of an OpenAPI document, as far as the next test reads it. */
interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<{
    readonly in: string
    readonly name: string
    readonly required: boolean
    readonly schema: { readonly examples: ReadonlyArray<unknown> }
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: object }>> }
}

it.effect.each([
  ["v2", openApiV2({ vendor: "tapedeck" }), (tapedeck: Tapedeck["Service"]): object => tapedeck],
  ["v1", openApiV1({ vendor: "tapedeck" }), (tapedeck: Tapedeck["Service"]): object => tapedeck.v1],
  ["settings", openApiSettings({ vendor: "tapedeck" }), (tapedeck: Tapedeck["Service"]): object => tapedeck.settings]
] as const)("every operation of %s has an Effect, which sends its request", ([api, document, rootOf]) => {
  const { run, seen } = clientOf([reply(404, { error: "no" })], { maxRetries: 0 })
  const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  return run((tapedeck) =>
    Effect.gen(function* () {
      const root = rootOf(tapedeck) as Record<string, Record<string, (...given: ReadonlyArray<unknown>) => Called>>
      for (const [path, methods] of Object.entries(paths))
        for (const [method, { operationId: id, parameters, requestBody }] of Object.entries(methods)) {
          const example = requestBody?.content["application/json"]?.example
          // v2's changes are given without the `recording` around them.
          const body = api === "v2" ? Object.values(example ?? {})[0] : (example ?? new Uint8Array())
          const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required)
          const given = [
            ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `a ${name}`),
            ...(requestBody === undefined ? [] : [body]),
            ...required.map(({ schema }) => schema.examples[0])
          ]
          const [group = "", name = ""] = id.split(".")
          const called = root[group]![name]!(...given)
          yield* Effect.exit(Stream.isStream(called) ? Stream.runDrain(called) : called)
          const sent = seen.pop()
          const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(`a ${name}`))
          const query = new URLSearchParams(required.map(({ name, schema }) => [name, String(schema.examples[0])]))
          expect(`${sent?.method} ${sent?.url.pathname}${sent?.url.search}`, id).toBe(
            `${method.toUpperCase()} /at/api/${api}${target}${query.size === 0 ? "" : `?${query}`}`
          )
          if (example !== undefined) expect(sent?.body, id).toEqual(example)
          const isKeyed = parameters.some(({ name }) => name === "Idempotency-Key")
          expect(sent?.headers.has("idempotency-key"), id).toBe(isKeyed)
        }
    })
  )
})

it.effect("an invalid option dies with its error, which does not contain the token", () =>
  Effect.gen(function* () {
    const { run } = clientOf([], { token: "tdk secret" })
    const exit = yield* Effect.exit(run(() => Effect.void))
    expect(inspect(exit, { depth: 20 })).toContain("token must be one word of visible ASCII")
    expect(inspect(exit, { depth: 20 })).not.toContain("tdk secret")
  })
)
