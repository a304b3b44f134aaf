import type { Json } from "../json.ts"
import { utf8Length } from "../utf8.ts"
import { arrayTexts } from "./errorArrays.ts"
import { filtered } from "./filters.ts"
import type { Placeholder } from "./Placeholder.ts"

/** A payload template that was accepted: its text, cut at the placeholders. Only `parseTemplate` makes one. */
export interface Template<Variable extends string = string> {
  readonly parts: ReadonlyArray<string | Placeholder<Variable>>
}

/** Returns the variables of a template. */
export const variablesOf = <Variable extends string>({ parts }: Template<Variable>): ReadonlySet<Variable> =>
  new Set(parts.flatMap((part) => (typeof part === "string" ? [] : [part.variable])))

/** Maximum size of a delivery's body, in UTF-8 bytes. What is larger is not sent. */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * The JSON text that the template and the values give. Outside a string a value is inserted as JSON, null if it is
 * missing; inside one as escaped text: a string as it is, a number, array or object as its JSON text, a missing
 * value as nothing. A filter makes a string of the value first. Whatever the values, the text parses, and each value stays within its place. Arrays share
 * `MAX_ARRAYS_BYTES`, before filters. Null where the text would be larger than `MAX_BODY_BYTES`: it is not written to its end then.
 */
export const renderTemplate = <Variable extends string>(
  { parts }: Template<Variable>,
  values: Readonly<Record<Variable, Json>>
): string | null => {
  const arrayIn = arrayTexts(parts.filter((part) => typeof part !== "string").map(beforeFilter), values)
  const pieceOf = (place: Placeholder<Variable>): string => {
    const value = values[place.variable]
    const array = arrayIn(beforeFilter(place))
    if (place.filter === undefined) return array ?? valueText(place, value)
    return valueText(place, filtered(place.filter, array === undefined ? value : (JSON.parse(array) as Json)))
  }
  let text = ""
  let bytes = 0
  for (const part of parts) {
    const piece = typeof part === "string" ? part : pieceOf(part)
    bytes += utf8Length(piece)
    if (bytes > MAX_BODY_BYTES) return null
    text += piece
  }
  return text
}

/** A filter gets an array as it would stand outside a string. */
const beforeFilter = <Variable extends string>(place: Placeholder<Variable>): Placeholder<Variable> =>
  place.filter === undefined ? place : { variable: place.variable, inString: false }

const valueText = ({ inString }: Placeholder, value: Json): string =>
  inString ? escapedText(value) : JSON.stringify(value)

/** `JSON.stringify` escapes lone surrogates and control characters too. */
const escapedText = (value: Json): string => {
  if (value === null) return ""
  return JSON.stringify(typeof value === "string" ? value : JSON.stringify(value)).slice(1, -1)
}
