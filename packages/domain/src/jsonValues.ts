import { endOfString } from "./json.ts"
import { atOnce, type Sliced } from "./slices.ts"

const [quote, comma, openBracket, openBrace] = [...'",[{'].map((character) => character.charCodeAt(0))

/**
 * Returns whether a JSON text has more than `max` values. Parsing a text with many small values takes far longer than parsing one of the
 * same length with few values, so values are counted before a text is parsed. Takes linear time, and accepts any text.
 */
export const hasMoreValues = (text: string, max: number): boolean => {
  // Each value takes a separator or a bracket, and so 2 characters with the value itself.
  if (text.length <= max) return false
  let values = 1
  for (let at = 0; at < text.length && values <= max; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma || code === openBracket || code === openBrace) values++
  }
  return values > max
}

const notANumber = /^(?:NaN|-?Infinity)/

const charactersAtOnce = 64 * 1024

/** Returns the text with `null` instead of `NaN` and `Infinity`, which some programs write as numbers. */
export function* withoutNaN(text: string): Sliced<string> {
  const slices: Array<string> = []
  let parts: Array<string> = []
  let done = 0
  let paused = 0
  for (let at = 0; at < text.length; at++) {
    if (at - paused >= charactersAtOnce) {
      yield at - paused
      paused = at
      slices.push(parts.join(""))
      parts = []
    }
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === "N" || character === "I" || character === "-") {
      const found = notANumber.exec(text.slice(at, at + 9))?.[0]
      if (found === undefined) continue
      parts.push(text.slice(done, at), "null")
      at += found.length - 1
      done = at + 1
    }
  }
  return [...slices, ...parts, text.slice(done)].join("")
}

/** Parses JSON, with `null` instead of `NaN` and `Infinity`. Returns the value, and whether any were replaced; undefined if the text is not JSON. */
export const parseLenient = (text: string): { readonly value: unknown; readonly hadNaN: boolean } | undefined => {
  const value = parsed(text)
  if (value !== undefined) return { value, hadNaN: false }
  const mended = parsed(atOnce(withoutNaN(text)))
  return mended === undefined ? undefined : { value: mended, hadNaN: true }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
