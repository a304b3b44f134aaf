import * as Schema from "effect/Schema"

export type Json = Schema.Json
export type JsonObject = Schema.JsonObject

/**
 * How deep JSON that others give us may be nested. `JSON.parse` takes any depth, but `JSON.stringify` and most
 * receivers' parsers overflow their stack (V8 between 3,000 and 5,000 levels), so what is deeper is refused on its way in.
 */
export const MAX_JSON_DEPTH = 100

/** Whether no array or object in `value` lies more than `maxDepth` levels deep (a scalar is at level 0, `[]` at 1). */
export const isJsonWithinDepth = (value: unknown, maxDepth: number = MAX_JSON_DEPTH): boolean => {
  let level: Array<unknown> = [value]
  for (let depth = 0; ; depth++) {
    const containers = level.filter((item) => typeof item === "object" && item !== null)
    if (containers.length === 0) return true
    if (depth === maxDepth) return false
    level = containers.flatMap((container) => Object.values(container as object))
  }
}

/** For schemas of JSON that others give us. */
export const withinJsonDepth = /* @__PURE__ */ Schema.makeFilter(
  (value: unknown) => isJsonWithinDepth(value) || `is nested deeper than ${MAX_JSON_DEPTH} levels`
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
