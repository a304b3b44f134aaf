import { GetObjectCommand } from "@aws-sdk/client-s3"
import { Effect, type Scope, Stream } from "effect"
import { type Bucket, request } from "./Bucket.ts"
import { S3Failure } from "./errors.ts"

/** Maximum number of consecutive interruptions of a body without a byte in between. */
const maxInterruptions = 4

interface Body {
  readonly chunks: AsyncIterator<Uint8Array>
  readonly end: number
}

/**
 * Reads up to `length` bytes of an object from `start`, with one request. If the body is interrupted, because the connection was
 * cut or the reader was slow, another request continues. The end of the scope aborts the request.
 */
export const readObject = Effect.fnUntraced(function* (bucket: Bucket, key: string, start: number, length: number) {
  if (length <= 0) return Stream.empty
  const abort = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const requestFrom = (at: number, end: number): Effect.Effect<Body, S3Failure> => {
    const get = new GetObjectCommand({
      Bucket: bucket.name,
      Key: bucket.nameOf(key),
      Range: `bytes=${at}-${end - 1}`
    })
    return request(() => bucket.client.send(get, { abortSignal: abort.signal })).pipe(
      Effect.map(({ Body: body, ContentLength = 0 }) => ({
        chunks: (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](),
        // Some backends return more than the range.
        end: Math.min(at + ContentLength, end)
      })),
      // The object ends before `at`.
      Effect.catchIf(
        (failure) => failure.status === 416,
        () => Effect.succeed({ chunks: noChunks, end: at })
      )
    )
  }
  let body = yield* requestFrom(start, start + length)
  const { end } = body
  let interruptions = 0

  const next = (at: number): Effect.Effect<Uint8Array | undefined, S3Failure> => {
    if (at >= end) return Effect.undefined
    return request(() => body.chunks.next()).pipe(
      Effect.filterOrFail(
        ({ done }) => done !== true,
        () => new S3Failure(new Error("the body ended early"))
      ),
      Effect.map(({ value }) => {
        interruptions = 0
        return (value as Uint8Array).subarray(0, end - at)
      }),
      Effect.catch((failure) => {
        interruptions += 1
        if (interruptions > maxInterruptions) return Effect.fail(failure)
        return Effect.flatMap(requestFrom(at, end), (again) => {
          body = again
          return next(at)
        })
      })
    )
  }
  return Stream.unfold(start, (at) =>
    Effect.map(next(at), (chunk) => (chunk === undefined ? undefined : ([chunk, at + chunk.length] as const)))
  )
}) satisfies (
  bucket: Bucket,
  key: string,
  start: number,
  length: number
) => Effect.Effect<Stream.Stream<Uint8Array, S3Failure>, S3Failure, Scope.Scope>

const noChunks: AsyncIterator<Uint8Array> = { next: async () => ({ done: true, value: undefined }) }
