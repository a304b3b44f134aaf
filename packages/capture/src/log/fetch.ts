import { now } from "../clock.ts"
import { bodyText, headersOf, isText, type NetworkPart, readText, requestEvent, sizeIn } from "./network.ts"
import { quietly } from "./patches.ts"
import type { Recording } from "./recording.ts"

/**
 * Records calls of `fetch`. The page's promise follows the original's, so that a rejection that the page does not handle is
 * reported as before. A body is read from a clone, only where the site keeps it.
 */
export const recordFetch = (recording: Recording) => {
  recording.patches.method(window, "fetch", (args, proceed) => {
    const request = quietly(() => requestOf(args))
    const result = proceed() as Promise<Response>
    if (request === undefined || recording.isOwn(request.url) || typeof result?.then !== "function") return result
    const at = now()
    const log = (part: Partial<NetworkPart>) =>
      quietly(() => recording.add({ ...request, duration_ms: Math.round(now() - at), ...part }, at))
    return result.then(
      (response) => {
        quietly(() => answered(recording, response, request.url, log))
        return response
      },
      (error: unknown) => {
        log({ error: String(error) })
        throw error
      }
    )
  })
}

const requestOf = ([input, init]: ReadonlyArray<unknown>): NetworkPart => {
  const request = input instanceof Request ? input : null
  const given = (init ?? {}) as RequestInit
  const headers = given.headers ?? request?.headers
  const body = bodyText(given.body)
  return {
    ...requestEvent("fetch", given.method ?? request?.method ?? "GET", request?.url ?? String(input)),
    ...(headers !== undefined && { request_headers: headersOf(new Headers(headers)) }),
    ...(body !== undefined && { request_body: body })
  }
}

const answered = (
  { keepsBody }: Recording,
  response: Response,
  url: string,
  log: (part: Partial<NetworkPart>) => void
) => {
  // The page may know no more of such an answer than that there was one.
  if (response.type.startsWith("opaque")) return
  const headers = headersOf(response.headers)
  const part = { status: response.status, response_headers: headers, ...sizeIn(headers) }
  const isKept = keepsBody(url) && isText(headers["content-type"]) && !response.bodyUsed
  const body = isKept ? response.clone().body : null
  if (body === null) return log(part)
  void readText(body).then(
    (text) => log({ ...part, response_body: text }),
    () => log(part)
  )
}
