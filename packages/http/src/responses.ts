import { type ApiError, type ApiVersion, errorBody, errorHeaders, errorStatus } from "@tapedeck/contract"
import { HttpServerResponse } from "effect/http"

const asJson = { contentType: "application/json" }

/** An answer whose body is JSON already. */
export const jsonText = (body: string): HttpServerResponse.HttpServerResponse => HttpServerResponse.text(body, asJson)

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
