import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { CreateMultipartUploadCommand } from "@aws-sdk/client-s3"
import { StorageFull } from "@tapedeck/core"
import { Cause, Clock, Effect, Exit, Fiber, type Scope, Stream } from "effect"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { FileError, FilesRefused } from "../../src/files/errors.ts"
import type { S3Options } from "../../src/files/s3/S3Options.ts"
import { s3Bytes } from "../../src/files/s3/s3Bytes.ts"
import { leftIn, optionsFor } from "./bucket.ts"
import { collected, dataDirectory, hashOf, keyOf, piecesOf, someBytes } from "./places.ts"
import { type Backend, stopBackend, theBackend } from "./s3/backend.ts"
import type { Fate, Seen } from "./s3/FaultProxy.ts"

afterAll(stopBackend)

type Service = Effect.Success<ReturnType<typeof s3Bytes>>
type Options = ReturnType<typeof optionsFor>

interface Given {
  readonly bytes: Service
  readonly backend: Backend
  readonly options: Options
  readonly left: Effect.Effect<Awaited<ReturnType<typeof leftIn>>>
  /** Requests since the service was made. */
  readonly seen: () => ReadonlyArray<Seen>
}

const MiB = 1024 ** 2
const nothing = { contents: [], temporary: [] }

/** A service on a prefix of its own; a request that fails is tried three times. */
const inABucket = <A, E>(
  body: (given: Given) => Effect.Effect<A, E, Scope.Scope>,
  more: Partial<S3Options> = {}
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const data = yield* dataDirectory
        const backend = yield* Effect.promise(theBackend)
        yield* Effect.addFinalizer(() => Effect.sync(() => (backend.proxy.fateOf = () => "pass")))
        const options = optionsFor(backend, data)
        const bytes = yield* s3Bytes({ ...options, tries: 3, ...more })
        const from = backend.proxy.seen.length
        const left = Effect.promise(() => leftIn(backend, options))
        return yield* body({ bytes, backend, options, left, seen: () => backend.proxy.seen.slice(from) })
      })
    )
  )

const defectOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined))

const read = ({ bytes }: Given, key: string, start: number, length: number) =>
  Effect.scoped(Effect.flatMap(bytes.read(key, start, length), collected))

/** Stores content under its key. */
const store = ({ bytes }: Pick<Given, "bytes">, content: Uint8Array, key = keyOf(content)) =>
  Effect.flatMap(bytes.receive(piecesOf(content, 64 * 1024)), (received) =>
    Effect.ensuring(bytes.place(received, key), bytes.drop(received))
  )

/** Stores content and returns its key. */
const stored = (given: Given, content: Uint8Array) => {
  const key = keyOf(content)
  return Effect.as(store(given, content, key), key)
}

/** The first so many requests that match have a fate; the others pass. */
const first = (count: number, matches: (request: Pick<Seen, "method" | "target">) => boolean, fate: Fate) => {
  let left = count
  return (request: Pick<Seen, "method" | "target">): Fate => (matches(request) && left-- > 0 ? fate : "pass")
}

const isPut = ({ method }: { readonly method: string }) => method === "PUT"
const isGet = ({ method, target }: { readonly method: string; readonly target: string }) =>
  method === "GET" && /[0-9a-f]{64}/.test(target)
const slowDown = { status: 503, code: "SlowDown" } as const

describe("content in a bucket", () => {
  it("is read by one request for the range", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const content = someBytes(300_000)
        const key = yield* stored(given, content)
        const ranges = [
          [0, 1],
          [131_071, 2],
          [299_990, 100],
          [1, 262_145]
        ] as const
        for (const [start, length] of ranges) {
          const before = given.seen().length
          expect([
            start,
            (yield* read(given, key, start, length)).equals(content.subarray(start, start + length))
          ]).toEqual([start, true])
          expect(given.seen().slice(before)).toMatchObject([
            { method: "GET", range: `bytes=${start}-${start + length - 1}` }
          ])
        }
        const before = given.seen().length
        expect(yield* read(given, key, 300_000, 5)).toEqual(Buffer.alloc(0))
        expect(yield* read(given, key, 5, 0)).toEqual(Buffer.alloc(0))
        expect(given.seen().length - before).toBe(1)
      })
    ))

  it("is uploaded in parts if it is large, four at a time", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const content = someBytes(41 * MiB)
        let [inFlight, most] = [0, 0]
        given.backend.proxy.fateOf = ({ method, target }) => {
          if (!/partNumber/.test(target) || method !== "PUT") return "pass"
          most = Math.max(most, ++inFlight)
          return { until: new Promise((resolve) => setImmediate(resolve)).then(() => inFlight--) }
        }
        const key = yield* stored(given, content)
        const parts = given.seen().filter(({ target }) => /partNumber/.test(target))
        expect(parts).toHaveLength(6)
        expect(most).toBeLessThanOrEqual(4)
        expect(hashOf(yield* read(given, key, 0, content.length))).toBe(hashOf(content))
        expect(yield* given.left).toEqual({ contents: [hashOf(content)], temporary: [] })
      })
    ))

  it("leaves no part and no request if its upload is interrupted", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const [begun, never] = [Promise.withResolvers<void>(), new Promise(() => {})]
        given.backend.proxy.fateOf = ({ target }) => {
          if (!/partNumber=2/.test(target)) return "pass"
          begun.resolve()
          return { until: never }
        }
        const fiber = yield* Effect.forkChild(store(given, someBytes(20 * MiB)))
        yield* Effect.promise(() => begun.promise)
        yield* Fiber.interrupt(fiber)
        expect(given.seen().filter(({ target }) => /partNumber=2/.test(target))).toMatchObject([{ gone: true }])
        expect(yield* given.left).toEqual(nothing)
      })
    ))

  it("is not stored if the caller's stream fails", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const broken = Stream.concat(piecesOf(someBytes(100_000), 999), Stream.fail("aborted"))
        expect(yield* Effect.exit(given.bytes.receive(broken))).toEqual(Exit.fail("aborted"))
        expect(given.seen()).toEqual([])
        expect(yield* given.left).toEqual(nothing)
      })
    ))

  it("is no longer requested after its reader is interrupted", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const key = yield* stored(given, someBytes(40 * MiB))
        yield* Stream.runDrain(Stream.take(Stream.unwrap(given.bytes.read(key, 0, 40 * MiB)), 1))
        // The proxy sees it a moment later.
        while (!given.seen().some(({ gone }) => gone)) yield* Effect.promise(() => new Promise((r) => setImmediate(r)))
        expect(given.seen().filter(isGet)).toMatchObject([{ gone: true }])
      })
    ))

  it("is removed, also if it was removed before", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const key = yield* stored(given, someBytes(1_000))
        yield* given.bytes.remove(key)
        yield* given.bytes.remove(key)
        expect(yield* given.left).toEqual(nothing)
      })
    ))
})

describe("a failing backend", () => {
  it("is retried when it asks to slow down", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const content = someBytes(9 * MiB)
        given.backend.proxy.fateOf = first(2, isPut, slowDown)
        const key = yield* stored(given, content)
        given.backend.proxy.fateOf = first(2, isGet, slowDown)
        expect((yield* read(given, key, 0, content.length)).equals(content)).toBe(true)
        expect(yield* given.left).toEqual({ contents: [hashOf(content)], temporary: [] })
      })
    ))

  it("fails the request with a named error if it keeps asking to slow down, and stores no partial content", () =>
    inABucket(
      (given) =>
        Effect.gen(function* () {
          const content = someBytes(25 * MiB)
          const key = keyOf(content)
          const at = `s3://${given.options.bucket}/${given.options.prefix}${key.slice(0, 2)}/${key}`
          given.backend.proxy.fateOf = first(99, ({ target }) => /partNumber=3/.test(target), slowDown)
          const failed = yield* defectOf(store(given, content, key))
          expect(failed).toBeInstanceOf(FileError)
          expect((failed as FileError).message).toBe(`${at}: it answers 503 SlowDown`)
          expect(yield* given.left).toEqual(nothing)
          const full = { status: 507, code: "InsufficientStorage" }
          given.backend.proxy.fateOf = first(99, isPut, full)
          const refused = yield* defectOf(store(given, someBytes(1_000)))
          expect(refused).toBeInstanceOf(StorageFull)
          expect(yield* given.left).toEqual(nothing)
        }),
      { tries: 2 }
    ))

  it("is asked for the rest if it cuts a connection, and the read fails if no more bytes arrive", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const content = someBytes(3 * MiB)
        given.backend.proxy.fateOf = first(1, isPut, "cut")
        const key = yield* stored(given, content)
        const before = given.seen().length
        given.backend.proxy.fateOf = first(3, isGet, { cutAfter: 700_000 })
        expect((yield* read(given, key, 1_000, 2 * MiB)).equals(content.subarray(1_000, 1_000 + 2 * MiB))).toBe(true)
        const ranges = given
          .seen()
          .slice(before)
          .map(({ range }) => range)
        const end = 1_000 + 2 * MiB - 1
        expect(ranges.length).toBeGreaterThan(1)
        expect(ranges.every((range) => range?.endsWith(`-${end}`))).toBe(true)
        given.backend.proxy.fateOf = first(99, isGet, { cutAfter: 0 })
        const failed = yield* defectOf(read(given, key, 0, 3 * MiB))
        expect(failed).toBeInstanceOf(FileError)
      })
    ))

  it("has the content if it completes an upload and loses the response", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const content = someBytes(9 * MiB)
        given.backend.proxy.fateOf = first(
          1,
          ({ method, target }) => method === "POST" && /uploadId/.test(target),
          "lose"
        )
        const key = yield* stored(given, content)
        expect((yield* read(given, key, 0, content.length)).equals(content)).toBe(true)
        expect(yield* given.left).toEqual({ contents: [hashOf(content)], temporary: [] })
      })
    ))

  it("is reported with the content's URL if it lost content", () =>
    inABucket((given) =>
      Effect.gen(function* () {
        const key = keyOf(Buffer.from("x"))
        const failed = yield* defectOf(read(given, key, 0, 1))
        expect((failed as Error).message).toMatch(new RegExp(`^s3://.*${key}: no such content$`))
      })
    ))
})

describe("the start of the bucket's store", () => {
  it("aborts multipart uploads that began a day ago, and keeps later ones", () =>
    inABucket(({ backend: { client }, bytes, left, options }) =>
      Effect.gen(function* () {
        const key = keyOf(Buffer.from("never ended"))
        const Key = `${options.prefix}${key.slice(0, 2)}/${key}`
        const begin = new CreateMultipartUploadCommand({ Bucket: options.bucket, Key })
        yield* Effect.promise(() => client.send(begin))
        yield* bytes.abortStale
        expect((yield* left).temporary).toEqual([Key])
        const now = yield* Clock.currentTimeMillis
        const clock = yield* Clock.Clock
        const later = (ms: number) =>
          Object.assign(Object.create(clock), { currentTimeMillis: Effect.succeed(now + ms) })
        const abortedAfter = (ms: number) =>
          Effect.provideService(bytes.abortStale, Clock.Clock, later(ms) as Clock.Clock)
        yield* abortedAfter(23 * 3_600_000)
        expect((yield* left).temporary).toEqual([Key])
        yield* abortedAfter(25 * 3_600_000)
        expect(yield* left).toEqual(nothing)
      })
    ))

  const refusalOf = (more: Partial<S3Options>) =>
    inABucket(({ options }) => defectOf(Effect.scoped(s3Bytes({ ...options, tries: 1, ...more }))))

  it.each([
    ["a bucket that does not exist", { bucket: "nowhere" }, "bucket", "there is no such bucket"],
    [
      "an endpoint at which no process listens",
      { endpoint: "http://127.0.0.1:1" },
      "endpoint",
      "no answer (ECONNREFUSED: "
    ]
  ] as const)("refuses %s, with the setting to look at", async (_what, more, setting, why) => {
    const refused = await refusalOf(more)
    expect(refused).toBeInstanceOf(FilesRefused)
    expect(refused).toMatchObject({ setting })
    expect((refused as Error).message).toContain(why)
  })

  it("names the operation that a backend without multipart uploads refuses", async () => {
    const server = createServer((request, response) => {
      const isListing = request.method === "GET"
      response.writeHead(isListing ? 200 : 405, { "content-type": "application/xml" })
      const error = "<Error><Code>MethodNotAllowed</Code></Error>"
      response.end(isListing ? "<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>" : error)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const refused = await refusalOf({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    expect(refused).toMatchObject({ name: "FilesRefused", setting: "endpoint" })
    expect((refused as Error).message).toContain("CreateMultipartUpload failed: it answers 405 MethodNotAllowed")
  })

  it("refuses credentials that are not accepted, without showing them", async () => {
    const { credentials } = await theBackend()
    const unknown = { accessKeyId: "unknown", secretAccessKey: "the-wrong-secret" }
    // s3rver looks at names alone.
    const known = { ...credentials, secretAccessKey: "the-wrong-secret" }
    for (const given of process.env.TAPEDECK_TEST_S3 === undefined ? [unknown] : [unknown, known]) {
      const refused = await refusalOf({ credentials: given })
      expect(refused).toMatchObject({ name: "FilesRefused", setting: "credentials" })
      expect(JSON.stringify([String(refused), (refused as Error).stack, refused])).not.toContain("the-wrong-secret")
    }
  })
})
