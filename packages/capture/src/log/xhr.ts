import { now } from "../clock.ts"
import { quietly } from "../intrinsics.ts"
import { textOf } from "../text.ts"
import {
  addressOf,
  bodyText,
  cutBody,
  headersOf,
  isText,
  maxBody,
  type NetworkPart,
  requestEvent,
  sizeIn
} from "./network.ts"
import { listen } from "./patches.ts"
import { printValue } from "./print.ts"
import type { Recording } from "./recording.ts"

interface Opened {
  readonly event: NetworkPart
  readonly headers: Array<readonly [unknown, unknown]>
}

/** Records requests by `XMLHttpRequest`. */
export const recordXhr = (recording: Recording) => {
  const { patches } = recording
  const { prototype } = XMLHttpRequest
  const opened = new WeakMap<object, Opened>()
  patches.method(prototype, "open", ([method, url], proceed, self) => {
    const result = proceed()
    quietly(() =>
      opened.set(self as object, { event: requestEvent("xhr", textOf(method), addressOf(url)), headers: [] })
    )
    return result
  })
  patches.method(prototype, "setRequestHeader", (header, proceed, self) => {
    const result = proceed()
    quietly(() => opened.get(self as object)?.headers.push(header as [unknown, unknown]))
    return result
  })
  patches.method(prototype, "send", ([body], proceed, self) => {
    const request = opened.get(self as object)
    // The watch starts before the call, because a synchronous request ends in it.
    if (request !== undefined) quietly(() => watch(recording, self as XMLHttpRequest, request, body))
    return proceed()
  })
}

const watch = (recording: Recording, xhr: XMLHttpRequest, { event, headers }: Opened, body: unknown) => {
  const at = now()
  const ended = () => {
    const lines = xhr.getAllResponseHeaders().split("\r\n").filter(Boolean)
    const answered = headersOf(lines.map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 2)] as const))
    const url = event.url || xhr.responseURL
    const sent = bodyText(body)
    recording.add(
      {
        ...event,
        url,
        status: xhr.status,
        duration_ms: Math.round(now() - at),
        request_headers: headersOf(headers),
        response_headers: answered,
        ...sizeIn(answered),
        ...(sent !== undefined && { request_body: sent }),
        ...quietly(() => responseBody(recording, xhr, url, answered)),
        ...(xhr.status === 0 && { error: "no response" })
      },
      at
    )
  }
  listen(xhr, "loadend", ended, { once: true })
}

const responseBody = (
  { keepsBody }: Recording,
  xhr: XMLHttpRequest,
  url: string,
  headers: Record<string, string>
): Pick<NetworkPart, "response_body"> => {
  if (!keepsBody(url) || !isText(headers["content-type"])) return {}
  const { response } = xhr
  if (typeof response === "string") return { response_body: cutBody(response) }
  // Only the stored part is printed, because the whole may be large.
  return xhr.responseType === "json"
    ? { response_body: printValue(response, { left: maxBody, depth: 99, entries: maxBody }) }
    : {}
}
