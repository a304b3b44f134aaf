import { SigningError } from "./errors.ts"

/** Value of a header; an array if it was sent more than once. */
export type HeaderValue = string | ReadonlyArray<string> | undefined

/** Headers: fetch `Headers`, a `Map`, Node's `IncomingHttpHeaders`, or any plain object. Names are case-insensitive. */
export type HeadersLike =
  | { get(name: string): string | null; forEach(each: (value: string, name: string) => void): void }
  | ReadonlyMap<string, HeaderValue>
  | { readonly [name: string]: HeaderValue }

type Iterable = { get(name: string): unknown; forEach(each: (value: unknown, name: string) => void): void }

const isIterable = (headers: object): headers is Iterable =>
  typeof (headers as Partial<Iterable>).get === "function" &&
  typeof (headers as Partial<Iterable>).forEach === "function"

const eachHeader = (headers: HeadersLike, each: (value: unknown, name: string) => void) => {
  if (isIterable(headers)) headers.forEach(each)
  else for (const name of Object.keys(headers)) each(headers[name], name)
}

/** Returns the value of a header by its name in lower case. If no name is written so, all names are compared without case. */
const lookUp = (headers: HeadersLike, name: string): string | ReadonlyArray<unknown> => {
  const direct = isIterable(headers) ? headers.get(name) : Object.hasOwn(headers, name) ? headers[name] : undefined
  if (typeof direct === "string") return direct
  const found: Array<unknown> = []
  eachHeader(headers, (value, given) => {
    if (given.toLowerCase() !== name || value === undefined || value === null) return
    if (Array.isArray(value)) found.push(...value)
    else found.push(value)
  })
  return found
}

const likeHeader = /signature|webhook|svix|hmac/i

/** Returns the error that none of these headers (in lower case) is present, with the present headers that resemble them. */
export const missing = (headers: HeadersLike, names: ReadonlyArray<string>): SigningError<"header_missing"> => {
  const similar: Array<string> = []
  eachHeader(headers, (value, given) => {
    if (value !== undefined && likeHeader.test(given) && similar.length < 8) similar.push(given.slice(0, 64))
  })
  return new SigningError("header_missing", { headers: names, similar })
}

export const checkHeaders = (headers: HeadersLike): void => {
  if (typeof headers !== "object" || headers === null) {
    throw new SigningError("option_invalid", {
      option: "headers",
      expected: "the request's headers: Headers, an object or a Map"
    })
  }
}

export const hasHeader = (headers: HeadersLike, name: string): boolean => {
  const found = lookUp(headers, name)
  return typeof found === "string" || found.length > 0
}

/** Returns the text of a header (name in lower case). Throws `header_missing` if it is absent. Several values are joined by `joined`. */
export const requiredHeader = (headers: HeadersLike, name: string, joined?: string): string => {
  const found = lookUp(headers, name)
  if (typeof found === "string") return found
  if (found.length === 0) throw missing(headers, [name])
  if (joined === undefined && found.length > 1) {
    throw new SigningError("header_malformed", { header: name, expected: `one value, not ${found.length}` })
  }
  for (const value of found) {
    if (typeof value !== "string") throw new SigningError("header_malformed", { header: name, expected: "text" })
  }
  return found.join(joined)
}
