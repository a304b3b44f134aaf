import * as Schema from "effect/Schema"

export type Json = Schema.Json
export type JsonObject = Schema.JsonObject

/**
 * Maximum depth of JSON from outside. `JSON.parse` accepts any depth, but `JSON.stringify` and the parsers of most receivers overflow
 * their stack (V8 between 3,000 and 5,000 levels), so deeper JSON is refused.
 */
export const MAX_JSON_DEPTH = 100

/** An object as `JSON.parse` makes them, of any realm. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/**
 * Returns whether a value is JSON of at most `maxDepth` levels (a scalar has 0, `[]` has 1); false of a value that contains itself.
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

/** Limits the depth of JSON from outside, in schemas. */
export const withinJsonDepth = /* @__PURE__ */ Schema.makeFilter(
  (value: unknown) => isJson(value) || `is nested deeper than ${MAX_JSON_DEPTH} levels`
)

/** Returns the offset of the quote that ends the JSON string at `start`; the length of the text if there is none. */
export const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at
  }
  return text.length
}

/** Returns whether an odd number of backslashes precedes an offset. */
const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text[first - 1] === "\\") first--
  return (at - first) % 2 === 1
}
