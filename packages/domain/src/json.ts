import * as Schema from "effect/Schema"

export type Json = Schema.Json
export type JsonObject = Schema.JsonObject

/**
 * How deep JSON that others give us may be nested. `JSON.parse` takes any depth, but `JSON.stringify` and most
 * receivers' parsers overflow their stack (V8 between 3,000 and 5,000 levels), so what is deeper is refused on its way in.
 */
export const MAX_JSON_DEPTH = 100

/** An object as `JSON.parse` makes them, of any realm. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/**
 * Whether a value is JSON of at most so many levels: a scalar is at level 0, `[]` at 1. A value that holds itself has no end of them.
 * Schema's own check takes ten times as long for many small objects.
 */
export const isJson = (value: unknown, maxDepth: number = MAX_JSON_DEPTH): value is Json => {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean"
  if (value === null) return true
  if (maxDepth === 0) return false
  const isInner = (inner: unknown) => isJson(inner, maxDepth - 1)
  if (Array.isArray(value)) return Array.from(value).every(isInner)
  return isPlain(value) && Object.values(value).every(isInner)
}

/** For schemas of JSON that others give us. */
export const withinJsonDepth = /* @__PURE__ */ Schema.makeFilter(
  (value: unknown) => isJson(value) || `is nested deeper than ${MAX_JSON_DEPTH} levels`
)

/** The offset of the quote that ends the JSON string that begins at `start`; the length of the text if none does. */
export const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at
  }
  return text.length
}

/** Whether an odd number of backslashes stands before an offset. */
const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text[first - 1] === "\\") first--
  return (at - first) % 2 === 1
}
