import { apply, Node, nativeOf, quietly, Request, URL } from "../intrinsics.ts"
import { cut, textOf } from "../text.ts"
import type { PageEvent } from "./recording.ts"

export type NetworkPart = Extract<PageEvent, { readonly kind: "network" }>

/** Characters of a body: more than the bytes that a log keeps, so that the server sees that there was more. */
export const maxBody = 160_000

let requests = 0

/** An event of a request, with an id that is unique in this page and no answer yet. */
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

/** The address that a page gave, as a text, `URL` or `Request`; empty: only the page's code knows. */
export const addressOf = (given: unknown): string =>
  (quietly(() => nativeOf(Request, given, "url")) ??
    quietly(() => nativeOf(URL, given, "href")) ??
    textOf(given)) as string

/** Headers by lower-case name. */
export const headersOf = (headers: Iterable<readonly [unknown, unknown]>): Record<string, string> => {
  const result: Record<string, string> = {}
  for (const [name, value] of headers) result[textOf(name).toLowerCase()] = textOf(value)
  return result
}

const { prototype: searchParams } = globalThis.URLSearchParams

/** A request body that is a text already; others are not read, because that may change them. */
export const bodyText = (body: unknown): string | undefined => {
  const text = typeof body === "string" ? body : quietly(() => apply(searchParams.toString, body, []) as string)
  return text && cutBody(text)
}

const textual = /json|text|xml|javascript|x-www-form-urlencoded/

/** Whether a response's body is a text that ends. */
export const isText = (contentType = ""): boolean => textual.test(contentType) && !contentType.includes("event-stream")

export const cutBody = (text: string): string => cut(text, maxBody)

/** The beginning of a stream as text. What is beyond is not read. */
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

/** `size_bytes` by the response's header. */
export const sizeIn = (headers: Record<string, string>): { readonly size_bytes?: number } => {
  const size = Number(headers["content-length"])
  return Number.isSafeInteger(size) && size >= 0 ? { size_bytes: size } : {}
}
