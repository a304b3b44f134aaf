import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { permittedTo } from "../middleware.ts"
import { errorResponse } from "../responses.ts"
import { listRecordings } from "./recordings.ts"

/** A list that is asked for plainly: a page, and nothing but its number. */
const plain = /^\/api\/v2\/recordings(?:\?page=([1-9]\d{0,8}))?$/

/**
 * The answer to a plain GET /recordings, past the router and HttpApi's pipeline: with nothing left to decode, they cost
 * as much as finding and sending 25 recordings does, for the most part by copying the request's context twice.
 * Undefined for every other request, HEAD and all queries with more to them included: those go the usual way.
 */
export const plainList = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const match = method === "GET" ? plain.exec(url) : null
  if (match === null) return undefined
  const [, page] = match
  return permittedTo("recordings.list", listRecordings(page === undefined ? {} : { page: Number(page) })).pipe(
    Effect.catch((refusal) => Effect.succeed(errorResponse("v2", refusal))),
    Effect.interruptible
  )
}
