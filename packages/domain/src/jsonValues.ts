import { endOfString } from "./json.ts"
import { atOnce, type Sliced } from "./slices.ts"

const [quote, comma, openBracket, openBrace] = [...'",[{'].map((character) => character.charCodeAt(0))

/**
 * Whether a JSON text has more than so many values. To parse a text of many small values takes far longer than one of the same
 * length with few, so they are counted before it is parsed. Takes linear time, and accepts any text.
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

/** The text with `null` in the place of `NaN` and `Infinity`, which some programs write as numbers. */
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

/** A value, and whether it could be read only with `null` in the place of `NaN` and `Infinity`. Undefined: it is not JSON. */
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
