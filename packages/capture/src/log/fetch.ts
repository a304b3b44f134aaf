import { now } from "../clock.ts"
import { apply, dataOf, Headers, nativeOf, quietly, Request } from "../intrinsics.ts"
import { textOf } from "../text.ts"
import { addressOf, bodyText, headersOf, isText, type NetworkPart, readText, requestEvent, sizeIn } from "./network.ts"
import { printValue } from "./print.ts"
import type { Recording } from "./recording.ts"

const { then: follow } = Promise.prototype

/**
 * Records calls of `fetch`. The page's promise follows the original one, so that a rejection that the page does not handle is reported as
 * before. Parameters of the page are read only after its call, and only if they can be read again. A body is read from a clone, only if the
 * site keeps it.
 */
export const recordFetch = (recording: Recording) => {
  recording.patches.method(window, "fetch", (args, proceed) => {
    const at = now()
    const result = proceed()
    const followed = quietly(() => {
      const request = requestOf(args)
      const log = (part: Partial<NetworkPart>) =>
        quietly(() => recording.add({ ...request, duration_ms: Math.round(now() - at), ...part }, at))
      return apply(follow, result, [
        (response: Response) => {
          quietly(() => answered(recording, response, request.url, log))
          return response
        },
        (error: unknown) => {
          log({ error: printValue(error) })
          throw error
        }
      ])
    })
    return followed ?? result
  })
}

const requestOf = ([input, init]: ReadonlyArray<unknown>): NetworkPart => {
  const ofRequest = (key: string) => quietly(() => nativeOf(Request, input, key))
  const body = bodyText(dataOf(init, "body"))
  return {
    ...requestEvent("fetch", textOf(dataOf(init, "method") ?? ofRequest("method")) || "GET", addressOf(input)),
    request_headers: headersOf(headersIn(dataOf(init, "headers") ?? ofRequest("headers"))),
    ...(body !== undefined && { request_body: body })
  }
}

const { keys } = Object
const { isArray } = Array
const { entries } = Headers.prototype

/** Returns headers in the forms that `fetch` accepts, except those that can be read only once. */
const headersIn = (given: unknown): Iterable<readonly [unknown, unknown]> =>
  quietly(() => apply(entries, given, []) as Iterable<readonly [string, string]>) ??
  keys(given ?? {}).map((key) => {
    const value = dataOf(given, key)
    return isArray(given) ? [dataOf(value, 0), dataOf(value, 1)] : [key, value]
  })

const answered = (
  { keepsBody }: Recording,
  response: Response,
  url: string,
  log: (part: Partial<NetworkPart>) => void
) => {
  // The page may know no more of such an answer than that there was one.
  if (response.type.startsWith("opaque")) return
  const headers = headersOf(response.headers)
  const part = {
    status: response.status,
    response_headers: headers,
    ...sizeIn(headers),
    ...(!url && { url: response.url })
  }
  const isKept = keepsBody(url || response.url) && isText(headers["content-type"]) && !response.bodyUsed
  const body = isKept ? response.clone().body : null
  if (body === null) return log(part)
  void readText(body).then(
    (text) => log({ ...part, response_body: text }),
    () => log(part)
  )
}
