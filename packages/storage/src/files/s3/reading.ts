import { GetObjectCommand } from "@aws-sdk/client-s3"
import { Effect, type Scope, Stream } from "effect"
import { asking, type Bucket } from "./Bucket.ts"
import { S3Failure } from "./trouble.ts"

/** How often a body may break off, one after another without a byte in between, until the reading has failed. */
const mostBreaks = 4

/** A body on its way, and where it ends. */
interface Body {
  readonly pieces: AsyncIterator<Uint8Array>
  readonly end: number
}

/**
 * Reads an object from `start`, so many bytes or as many as there are, with one request. A body that breaks off, because the
 * connection was cut or the reader was slow, is asked for again from there. When the scope ends, so does the request.
 */
export const readObject = Effect.fnUntraced(function* (bucket: Bucket, sha256: string, start: number, length: number) {
  if (length <= 0) return Stream.empty
  const gone = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const ask = (at: number, end: number): Effect.Effect<Body, S3Failure> => {
    const get = new GetObjectCommand({
      Bucket: bucket.name,
      Key: bucket.keyOf(sha256),
      Range: `bytes=${at}-${end - 1}`
    })
    return asking(() => bucket.client.send(get, { abortSignal: gone.signal })).pipe(
      Effect.map(({ Body: body, ContentLength = 0 }) => ({
        pieces: (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](),
        // Some give more than they were asked for.
        end: Math.min(at + ContentLength, end)
      })),
      // It ends before that.
      Effect.catchIf(
        (failure) => failure.status === 416,
        () => Effect.succeed({ pieces: nothing, end: at })
      )
    )
  }
  let body = yield* ask(start, start + length)
  const { end } = body
  let breaks = 0

  const next = (at: number): Effect.Effect<Uint8Array | undefined, S3Failure> => {
    if (at >= end) return Effect.undefined
    return asking(() => body.pieces.next()).pipe(
      Effect.filterOrFail(
        ({ done }) => done !== true,
        () => new S3Failure(new Error("it ended before its end"))
      ),
      Effect.map(({ value }) => {
        breaks = 0
        return (value as Uint8Array).subarray(0, end - at)
      }),
      Effect.catch((failure) => {
        breaks += 1
        if (breaks > mostBreaks) return Effect.fail(failure)
        return Effect.flatMap(ask(at, end), (again) => {
          body = again
          return next(at)
        })
      })
    )
  }
  return Stream.unfold(start, (at) =>
    Effect.map(next(at), (piece) => (piece === undefined ? undefined : ([piece, at + piece.length] as const)))
  )
}) satisfies (
  bucket: Bucket,
  sha256: string,
  start: number,
  length: number
) => Effect.Effect<Stream.Stream<Uint8Array, S3Failure>, S3Failure, Scope.Scope>

const nothing: AsyncIterator<Uint8Array> = { next: async () => ({ done: true, value: undefined }) }
