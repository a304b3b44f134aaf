import { Effect, Option, Schema, SchemaIssue, Stream } from "effect"
import { HttpBody, type HttpClientResponse } from "effect/http"
import { filenameOf, sizeOf } from "../Download.ts"
import { type PageKey, type Pagination, pageQuery, Walk } from "../pages.ts"
import { newKey } from "../retries.ts"
import { RawBody, type SendError, streamOf } from "./send.ts"

/** Options of a POST that takes an `Idempotency-Key`. */
export interface KeyedOptions {
  /** Key of the POST, for a caller that repeats it. Default: a new UUID for each run of the effect. */
  readonly idempotencyKey?: string | undefined
}

/** The media type of a body that is not JSON. */
export interface RawOptions<Type extends string> {
  readonly contentType?: Type | undefined
}

/** A body that is not JSON. A stream is sent once: its request is never retried. */
export type RawBytes = Uint8Array | Stream.Stream<Uint8Array, unknown>

/** The file has changed since its download started, so that no further part of it can be had. */
export class FileChanged extends Schema.TaggedError<FileChanged>()("FileChanged", { message: Schema.String }) {}

/** A file, or a part of one. `E` is what asking for a part can fail with. */
export interface Download<E> {
  /** The bytes as they come; it can be run once. */
  readonly stream: Stream.Stream<Uint8Array, SendError>
  readonly contentType: string
  /** Size of the whole file, also where this is a part of it; undefined where the service does not say. */
  readonly sizeBytes: number | undefined
  /** The name that the service gives the file. */
  readonly filename: string | undefined
  readonly etag: string | undefined
  /** Asks for the bytes from `start` to `end`, both included and counted from 0, of the same version of the file. */
  readonly range: (start: number, end?: number) => Effect.Effect<Download<E>, E | FileChanged>
}

/** Gives a call its `Idempotency-Key`, a new one each time that it is run. */
export const keyed = <A, E, R>(
  options: KeyedOptions | undefined,
  call: (headers: { readonly "idempotency-key": string }) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => call({ "idempotency-key": options?.idempotencyKey ?? newKey(Math.random) }))

/** Sends a body as it is in the place of a call's payload. */
export const raw = <A, E, R>(
  body: RawBytes | string,
  contentType: string,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const sent =
    typeof body === "string"
      ? HttpBody.text(body, contentType)
      : body instanceof Uint8Array
        ? HttpBody.uint8Array(body, contentType)
        : HttpBody.stream(body, contentType)
  return Effect.provideService(call, RawBody, sent)
}

interface Paged {
  readonly pagination: Pagination
}

/** A list that does not end, in the words of the other client. */
const unending = (error: unknown) =>
  new Schema.SchemaError(new SchemaIssue.InvalidValue({ message: (error as Error).message }))

interface PagedQuery {
  readonly page?: number
  readonly cursor?: string
}

/** All records of a list, one request a page, as a `Walk` gives them. */
export const paged = <Key extends string, Item, Page extends Paged & Readonly<Record<Key, ReadonlyArray<Item>>>, E, R>(
  query: PagedQuery | undefined,
  key: Key,
  load: (query: PagedQuery) => Effect.Effect<Page, E, R>
): Stream.Stream<Page[Key][number], E | Schema.SchemaError, R> =>
  Stream.suspend(() => {
    let walk: Walk | undefined
    return Stream.paginate<PageKey | undefined, Page[Key][number], E | Schema.SchemaError, R>(
      query?.cursor ?? query?.page,
      Effect.fnUntraced(function* (page) {
        const { pagination, [key]: records } = yield* load(pageQuery(page))
        walk ??= new Walk(pagination)
        const known = walk
        const items = yield* Effect.try({ try: () => known.take(records, pagination, page), catch: unending })
        return [items, Option.fromUndefinedOr<PageKey | undefined>(known.next)] as const
      })
    )
  })

interface Condition {
  readonly range?: string
  readonly "if-range"?: string
}

/** Asks for a file. `decode` gives what a refusal means. */
export const file = <E, D>(
  timeoutMs: number,
  ask: (headers: Condition) => Effect.Effect<HttpClientResponse.HttpClientResponse, E>,
  decode: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, D>
): Effect.Effect<Download<E | D>, E | D> => {
  const answer = Effect.fnUntraced(function* (headers: Condition) {
    const response = yield* ask(headers)
    if (response.status >= 300) yield* decode(response)
    return response
  })
  const downloadOf = (response: HttpClientResponse.HttpClientResponse): Download<E | D> => {
    const { headers, status } = response
    const { etag } = headers
    return {
      stream: streamOf(response, timeoutMs),
      contentType: headers["content-type"] ?? "application/octet-stream",
      sizeBytes: sizeOf(status, (name) => headers[name]),
      filename: filenameOf(headers["content-disposition"]),
      etag,
      range: (start, end) =>
        Effect.flatMap(
          answer({ range: `bytes=${start}-${end ?? ""}`, ...(etag !== undefined && { "if-range": etag }) }),
          (part) =>
            part.status === 206
              ? Effect.succeed(downloadOf(part))
              : Effect.fail(new FileChanged({ message: "The file has changed since the download started" }))
        )
    }
  }
  return Effect.map(answer({}), downloadOf)
}
