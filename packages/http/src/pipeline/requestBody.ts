import { PayloadTooLarge, ServiceUnavailable } from "@tapedeck/contract"
import { ServiceConfig, UploadTooLarge } from "@tapedeck/core"
import { ByteSize, Context, Effect, Stream } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { SharedBudget, UNCOUNTED_BYTES } from "./SharedBudget.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Maximum size of a body, and the refusal of a larger one. */
export interface BodyLimit {
  readonly maxBytes: number
  readonly tooLarge: PayloadTooLarge
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

export const jsonLimit: BodyLimit = {
  maxBytes: mebibyte,
  tooLarge: new PayloadTooLarge({ message: "The body is larger than 1 MiB" })
}

/** Limit of requests without a token: an address, a password, a link. */
export const signInLimit: BodyLimit = {
  maxBytes: 16 * kibibyte,
  tooLarge: new PayloadTooLarge({ message: "The body is larger than 16 KiB" })
}

/** The limit of files. A file of undeclared length is counted while it arrives. */
const uploadLimit = ({ maxUploadBytes: maxBytes }: ServiceConfig["Service"]): BodyLimit => ({
  maxBytes,
  tooLarge: new PayloadTooLarge({ message: new UploadTooLarge({ limitBytes: maxBytes }).message })
})

/** The limit on the body of an endpoint. */
export const limitOf = (body: BodyLimit | "upload" | undefined, services: Context.Context<ServiceConfig>): BodyLimit =>
  body === "upload" ? uploadLimit(Context.get(services, ServiceConfig)) : (body ?? jsonLimit)

/** Budget that all bodies in memory share. It is a default, because all apps of a process share its memory. */
export const BufferedBodies = Context.Reference<SharedBudget>("@tapedeck/http/BufferedBodies", {
  defaultValue: () => new SharedBudget(128 * mebibyte)
})

/** The body of the request that is being answered; null where none was read, or reading it failed. */
export const RequestBody = Context.Reference<Uint8Array | null>("@tapedeck/http/RequestBody", {
  defaultValue: () => null
})

/** The declared length; undefined without one. */
export const declaredBytes = ({ headers }: Request): number | undefined => {
  const length = headers["content-length"]
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** The refusal of a body that declares a length beyond the limit. */
export const refuseDeclared = (request: Request, { maxBytes, tooLarge }: BodyLimit): PayloadTooLarge | undefined =>
  (declaredBytes(request) ?? 0) > maxBytes ? tooLarge : undefined

type BodyRefusal = PayloadTooLarge | ServiceUnavailable

/**
 * Reads the body, gives it to `onRead` and to the answer as `RequestBody`, and counts the bytes read until there is the answer. Refuses a
 * body that passes its limit, and one for which there is no memory left beside the others, or beside the caller's own.
 */
export const withBody = <A, E, R>(
  request: Request,
  {
    caller,
    limit,
    onRead
  }: { readonly caller: string; readonly limit: BodyLimit; readonly onRead: (body: Uint8Array | null) => void },
  answer: Effect.Effect<A, E, R>
): Effect.Effect<A, E | BodyRefusal, R> =>
  Effect.withFiber((fiber) => {
    const memory = Context.get(fiber.context, BufferedBodies)
    let heldBytes = 0
    const hold = (bytes: number): boolean => {
      if (!memory.admits(caller, bytes)) return false
      memory.hold(caller, bytes)
      heldBytes += bytes
      return true
    }
    return readBody(request, limit, hold).pipe(
      Effect.flatMap((bytes) => {
        onRead(bytes)
        return Effect.provideService(answer, RequestBody, bytes)
      }),
      Effect.ensuring(Effect.sync(() => memory.release(caller, heldBytes)))
    )
  })

type Read = Effect.Effect<Uint8Array | null, BodyRefusal>

const readBody = (request: Request, limit: BodyLimit, hold: (bytes: number) => boolean): Read => {
  if (hasNone(request)) return Effect.succeed(new Uint8Array())
  const length = declaredBytes(request)
  const tooLarge = refuseDeclared(request, limit)
  if (tooLarge !== undefined) return Effect.fail(tooLarge)
  if (length === undefined || length > UNCOUNTED_BYTES) return readPieces(request, limit, hold)
  return request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(length)),
    Effect.map((buffer) => new Uint8Array(buffer)),
    Effect.orElseSucceed(() => null)
  )
}

/** A request of `fetch` without a body has no stream to read. */
const hasNone = ({ source }: Request): boolean => source instanceof globalThis.Request && source.body === null

/**
 * Each chunk is counted before it is stored: a declared length takes no memory. The chunks are joined as they arrive, in a buffer that
 * grows by a quarter: the previous buffer is free at once, without a wait for the garbage collector.
 */
const readPieces = (request: Request, { maxBytes, tooLarge }: BodyLimit, hold: (bytes: number) => boolean): Read => {
  const expectedBytes = declaredBytes(request) ?? maxBytes
  let body = new Uint8Array()
  let sizeBytes = 0
  const store = (piece: Uint8Array): Effect.Effect<void, BodyRefusal> => {
    const from = sizeBytes
    sizeBytes += piece.byteLength
    if (sizeBytes > maxBytes) return Effect.fail(tooLarge)
    if (!hold(countedOf(sizeBytes) - countedOf(from))) return Effect.fail(noMemory)
    if (sizeBytes > body.length) {
      const grown = Math.max(Math.ceil(1.25 * sizeBytes), UNCOUNTED_BYTES)
      // A declared length that is too small is no limit.
      body = new Uint8Array(body.buffer.transfer(sizeBytes > expectedBytes ? grown : Math.min(grown, expectedBytes)))
    }
    body.set(piece, from)
    return Effect.void
  }
  return Stream.runForEach(request.stream, store).pipe(
    Effect.map(() => new Uint8Array(body.buffer.transfer(sizeBytes))),
    Effect.catchTag("HttpServerError", () => Effect.succeed(null))
  )
}

/** The bytes of a body that count. */
const countedOf = (sizeBytes: number): number => Math.max(0, sizeBytes - UNCOUNTED_BYTES)

const noMemory = new ServiceUnavailable({
  message: "The server holds as many request bodies as it has memory for",
  retryAfterSeconds: 1
})
