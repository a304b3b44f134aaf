import { type ApiError, type ApiVersion, errorBody, errorHeaders, errorStatus } from "@tapedeck/contract"
import { HttpServerResponse } from "effect/http"
import { type Pieces, PiecesBody } from "./Pieces.ts"

const asJson = { contentType: "application/json" }

/** An answer whose body is JSON already. */
export const jsonText = (body: string): HttpServerResponse.HttpServerResponse => HttpServerResponse.text(body, asJson)

/** An answer whose body is JSON in UTF-8 already. */
export const jsonBytes = (body: Uint8Array): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(body, asJson)

const ok = HttpServerResponse.empty({ status: 200 })

/** An answer whose body is JSON in pieces already. */
export const jsonPieces = (body: Pieces): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setBody(ok, new PiecesBody(body, asJson.contentType))

/** An answer that shows a secret: nobody on its way is to keep it. */
export const secretJson = (body: unknown, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), { ...asJson, status, headers: { "cache-control": "no-store" } })

/** A refusal, in the shape of the version that was asked (R2). */
export const errorResponse = (version: ApiVersion, error: ApiError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(errorBody(version, error)), {
    ...asJson,
    status: errorStatus(error),
    headers: errorHeaders(error)
  })
