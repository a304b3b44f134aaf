import { now } from "../clock.ts"
import { bodyText, cutBody, headersOf, isText, type NetworkPart, requestEvent, sizeIn } from "./network.ts"
import { quietly } from "./patches.ts"
import type { Recording } from "./recording.ts"

interface Opened {
  readonly event: NetworkPart
  readonly headers: Array<readonly [string, string]>
}

/** Records requests by `XMLHttpRequest`. */
export const recordXhr = (recording: Recording) => {
  const { patches } = recording
  const { prototype } = XMLHttpRequest
  const opened = new WeakMap<object, Opened>()
  patches.method(prototype, "open", ([method, url], proceed, self) => {
    const result = proceed()
    quietly(() => opened.set(self as object, { event: requestEvent("xhr", String(method), String(url)), headers: [] }))
    return result
  })
  patches.method(prototype, "setRequestHeader", ([name, value], proceed, self) => {
    const result = proceed()
    quietly(() => opened.get(self as object)?.headers.push([String(name), String(value)]))
    return result
  })
  patches.method(prototype, "send", ([body], proceed, self) => {
    quietly(() => {
      const request = opened.get(self as object)
      if (request !== undefined && !recording.isOwn(request.event.url))
        watch(recording, self as XMLHttpRequest, request, body)
    })
    return proceed()
  })
}

const watch = (recording: Recording, xhr: XMLHttpRequest, { event, headers }: Opened, body: unknown) => {
  const at = now()
  const sent = bodyText(body)
  const ended = () => {
    quietly(() => {
      const lines = xhr.getAllResponseHeaders().split("\r\n").filter(Boolean)
      const answered = headersOf(
        lines.map((line) => [line.split(":", 1)[0]!, line.slice(line.indexOf(":") + 2)] as const)
      )
      recording.add(
        {
          ...event,
          status: xhr.status,
          duration_ms: Math.round(now() - at),
          request_headers: headersOf(headers),
          response_headers: answered,
          ...sizeIn(answered),
          ...(sent !== undefined && { request_body: sent }),
          ...responseBody(recording, xhr, event.url, answered),
          ...(xhr.status === 0 && { error: "no response" })
        },
        at
      )
    })
  }
  xhr.addEventListener("loadend", ended, { once: true })
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
  return xhr.responseType === "json" ? { response_body: cutBody(JSON.stringify(response)) } : {}
}
