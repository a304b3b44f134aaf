import {
  type ApiError,
  type ApiVersion,
  errorBody,
  errorHeaders,
  errorStatus,
  type settings,
  type Pagination as WirePagination
} from "@tapedeck/contract"
import { type CursorPage, mapYielding, stage } from "@tapedeck/core"
import type { Pagination } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"

/**
 * A body in pieces that were ready before the request came. They are sent as they are, in one write: a page of 100
 * recordings costs half of what it costs as one string, which has to be put together, measured and encoded.
 */
export class Pieces {
  readonly pieces: ReadonlyArray<Uint8Array>
  readonly sizeBytes: number

  constructor(pieces: ReadonlyArray<Uint8Array>) {
    this.pieces = pieces
    let sizeBytes = 0
    for (const piece of pieces) sizeBytes += piece.length
    this.sizeBytes = sizeBytes
  }

  /** The whole body, for adapters without support of pieces, such as `fetch`. */
  toString(): string {
    return Buffer.concat(this.pieces).toString("utf8")
  }
}

/**
 * Pieces as a body of Effect's. An adapter hands a body's `text`, where there is one, to its runtime as it is:
 * to the `Response` of the web, or to Node's `ServerResponse`, for which `serverOptions` puts one in place that knows
 * pieces.
 */
class PiecesBody extends HttpBody.Uint8Array {
  constructor(pieces: Pieces, contentType: string) {
    super(undefined, contentType, pieces.sizeBytes, pieces as unknown as string)
  }

  override get body(): Uint8Array {
    return Buffer.concat((this.text as unknown as Pieces).pieces)
  }

  /** The beginning of the body, of which no more than needed is joined. */
  firstBytes(sizeBytes: number): Uint8Array {
    const { pieces } = this.text as unknown as Pieces
    let end = 0
    for (let joined = 0; joined < sizeBytes && end < pieces.length; end++) joined += pieces[end]!.length
    return Buffer.concat(pieces.slice(0, end)).subarray(0, sizeBytes)
  }
}

const asJson = { contentType: "application/json" }

/** A response with a JSON text. */
export const jsonText = (body: string, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, { ...asJson, status })

/** A response with JSON in UTF-8. */
export const jsonBytes = (body: Uint8Array): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(body, asJson)

const ok = HttpServerResponse.empty({ status: 200 })

/** A response with JSON in pieces. */
export const jsonPieces = (body: Pieces): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setBody(ok, new PiecesBody(body, asJson.contentType))

export const wirePagination = (pagination: Pagination): WirePagination => ({
  count: pagination.count,
  page: pagination.page,
  items: pagination.items,
  pages: pagination.pages,
  last_page: pagination.lastPage,
  from: pagination.from,
  to: pagination.to,
  ...(pagination.nextPage !== undefined && { next_page: pagination.nextPage }),
  ...(pagination.prevPage !== undefined && { prev_page: pagination.prevPage })
})

/** Returns the pagination of a list that is read by cursor. */
export const wireCursorPage = ({ count, isExact, nextCursor }: CursorPage<unknown>, items: number) => ({
  count,
  count_is_exact: isExact,
  items,
  ...(nextCursor !== undefined && { next_cursor: nextCursor })
})

/** The pagination of a list of changes. */
type WireChanges = (typeof settings.RecordingChanges.Type)["pagination"]

/** JSON in UTF-8 of one item of a list: alone, and with the comma that follows another one's in a list. */
export interface ReadyJson {
  readonly bytes: Uint8Array
  readonly following: Uint8Array
}

/** A JSON text, for a list. */
export const readyJson = (json: string): ReadyJson => {
  const following = Buffer.from(`,${json}`)
  return { bytes: following.subarray(1), following }
}

/** The JSON of a value, for a list. */
export const listedJson = (value: unknown): ReadyJson => readyJson(JSON.stringify(value))

const tail = Buffer.from("]}")

/** The answer of a list, `{"pagination":…,"records":[…]}`. A large page is written in parts, between which other requests run. */
export const listAnswer = <Item>(
  pagination: WirePagination | ReturnType<typeof wireCursorPage> | WireChanges,
  items: ReadonlyArray<Item>,
  toJson: (item: Item) => ReadyJson
) =>
  stage(
    "encode",
    Effect.map(
      mapYielding(items, toJson, ({ bytes }) => bytes.length),
      (records) => jsonPieces(listBody(pagination, records))
    )
  )

/** A page of a list, `{"pagination":…,"records":[…]}`, of records whose JSON is ready. */
export const listBody = (
  pagination: WirePagination | ReturnType<typeof wireCursorPage> | WireChanges,
  records: ReadonlyArray<ReadyJson>,
  key = "records"
): Pieces => {
  const head = Buffer.from(`{"pagination":${JSON.stringify(pagination)},"${key}":[`)
  const listed = records.map(({ bytes, following }, index) => (index === 0 ? bytes : following))
  return new Pieces([head, ...listed, tail])
}

/** A response with a secret: no cache may store it. */
export const secretJson = (body: unknown, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), { ...asJson, status, headers: { "cache-control": "no-store" } })

/** A refusal, in the error shape of the requested version (R2). */
export const errorResponse = (
  version: ApiVersion,
  error: ApiError,
  scheme?: string
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(errorBody(version, error)), {
    ...asJson,
    status: errorStatus(error),
    headers: errorHeaders(error, scheme)
  })

let second = Number.NaN
let text = ""

/** An instant, in milliseconds, as the `Date` header writes it (RFC 9110, 5.6.7). The last one is cached, because many requests share it. */
export const httpDate = (ms: number): string => {
  const its = Math.floor(ms / 1000)
  if (its !== second) {
    text = new Date(its * 1000).toUTCString()
    second = its
  }
  return text
}
