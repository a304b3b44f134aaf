import { apply, Node, nativeOf, quietly, Request, URL } from "../intrinsics.ts"
import { cut, textOf } from "../text.ts"
import type { PageEvent } from "./recording.ts"

export type NetworkPart = Extract<PageEvent, { readonly kind: "network" }>

/** Maximum number of characters of a body. It exceeds the size that a log keeps, so that the server sees that there was more. */
export const maxBody = 160_000

let requests = 0

/** Returns the event of a request without a response, with an id that is unique in this page. */
export const requestEvent = (initiator: NetworkPart["initiator"], method: string, url: string): NetworkPart => {
  requests += 1
  return {
    kind: "network",
    id: String(requests),
    method: method.toUpperCase(),
    url: url && absolute(url),
    status: 0,
    initiator,
    duration_ms: 0,
    request_headers: {},
    response_headers: {}
  }
}

export const absolute = (url: string): string =>
  quietly(() => new URL(url, nativeOf(Node, document, "baseURI") as string).href) ?? url

/** Returns the address of a text, `URL` or `Request` of the page; empty if it cannot be read without running code of the page. */
export const addressOf = (target: unknown): string =>
  (quietly(() => nativeOf(Request, target, "url")) ??
    quietly(() => nativeOf(URL, target, "href")) ??
    textOf(target)) as string

/** Returns headers by lower-case name. */
export const headersOf = (headers: Iterable<readonly [unknown, unknown]>): Record<string, string> => {
  const result: Record<string, string> = {}
  for (const [name, value] of headers) result[textOf(name).toLowerCase()] = textOf(value)
  return result
}

const { prototype: searchParams } = globalThis.URLSearchParams

/** Returns a request body if it is text. Other bodies are not read, because reading may change them. */
export const bodyText = (body: unknown): string | undefined => {
  const text = typeof body === "string" ? body : quietly(() => apply(searchParams.toString, body, []) as string)
  return text && cutBody(text)
}

const textual = /json|text|xml|javascript|x-www-form-urlencoded/

/** Returns whether the body of a response is finite text. */
export const isText = (contentType = ""): boolean => textual.test(contentType) && !contentType.includes("event-stream")

export const cutBody = (text: string): string => cut(text, maxBody)

/** Reads the start of a stream as text, up to the maximum length. */
export const readText = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (text.length < maxBody) {
    const { done, value } = await reader.read()
    if (done) return text
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return cutBody(text)
}

/** Returns `size_bytes` from the header of a response. */
export const sizeIn = (headers: Record<string, string>): { readonly size_bytes?: number } => {
  const size = Number(headers["content-length"])
  return Number.isSafeInteger(size) && size >= 0 ? { size_bytes: size } : {}
}
