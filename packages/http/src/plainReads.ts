import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { permittedTo } from "./middleware.ts"
import { errorResponse } from "./responses.ts"
import { reads as v1 } from "./v1/recordings.ts"
import { reads as v2 } from "./v2/recordings.ts"

/**
 * A recording, by what may be a UUID; or the list, asked for plainly: a page, and nothing but its number. What is asked
 * for in any other way, escapes and parameters included, is left to the router.
 */
const plain = /^\/api\/(v[12])\/recordings(?:\/([\dA-Fa-f-]{36})|\?page=([1-9]\d{0,8}))?$/

const versions = { v1, v2 }

/**
 * The answer to a plain GET of recordings, past the router and HttpApi's pipeline: with nothing left to decode, they cost
 * more than finding and sending what is asked for, for the most part by copying the request's context twice.
 * Undefined for every other request, HEAD and all queries with more to them included: those go the usual way.
 */
export const plainRead = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const match = method === "GET" ? plain.exec(url) : null
  if (match === null) return undefined
  const version = match[1] as keyof typeof versions
  const [, , uuid, page] = match
  const { get, list } = versions[version]
  const answered =
    uuid === undefined
      ? permittedTo("recordings.list", list(page === undefined ? {} : { page: Number(page) }))
      : permittedTo("recordings.read", get(uuid))
  return answered.pipe(
    Effect.catch((refusal) => Effect.succeed(errorResponse(version, refusal))),
    Effect.interruptible
  )
}
