import * as Schema from "effect/Schema"

export type Json = Schema.Json
export type JsonObject = Schema.JsonObject

/**
 * Maximum depth of JSON from outside. `JSON.parse` accepts any depth, but `JSON.stringify` and the parsers of most receivers overflow
 * their stack (V8 between 3,000 and 5,000 levels), so deeper JSON is refused.
 */
export const MAX_JSON_DEPTH = 100

/** Returns whether `value` has at most `maxDepth` levels of arrays and objects (a scalar has 0, `[]` has 1). */
export const isJsonWithinDepth = (value: unknown, maxDepth: number = MAX_JSON_DEPTH): boolean => {
  let level: Array<unknown> = [value]
  for (let depth = 0; ; depth++) {
    const containers = level.filter((item) => typeof item === "object" && item !== null)
    if (containers.length === 0) return true
    if (depth === maxDepth) return false
    level = containers.flatMap((container) => Object.values(container as object))
  }
}

/** Limits the depth of JSON from outside, in schemas. */
export const withinJsonDepth = /* @__PURE__ */ Schema.makeFilter(
  (value: unknown) => isJsonWithinDepth(value) || `is nested deeper than ${MAX_JSON_DEPTH} levels`
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
