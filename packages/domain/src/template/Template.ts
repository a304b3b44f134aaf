import type { Json } from "../json.ts"
import type { TemplateValues, TemplateVariable } from "./variables.ts"

/** The place of a value: inside a JSON string, or standing for a whole JSON value. */
export interface Placeholder {
  readonly variable: TemplateVariable
  readonly inString: boolean
}

/** A payload template that was accepted: its text, cut at the placeholders. Only `parseTemplate` makes one. */
export interface Template {
  readonly parts: ReadonlyArray<string | Placeholder>
}

/**
 * The JSON text that the template and the values give (W6). Outside a string a value is inserted as JSON, null if it is
 * missing; inside one as escaped text: a string as it is, a number, array or object as its JSON text, a missing
 * value as nothing. Whatever the values, the text parses, and each value stays within its place.
 */
export const renderTemplate = ({ parts }: Template, values: TemplateValues): string => {
  let text = ""
  for (const part of parts) {
    if (typeof part === "string") text += part
    else text += part.inString ? escapedText(values[part.variable]) : JSON.stringify(values[part.variable])
  }
  return text
}

/** `JSON.stringify` escapes lone surrogates and control characters too. */
const escapedText = (value: Json): string => {
  if (value === null) return ""
  return JSON.stringify(typeof value === "string" ? value : JSON.stringify(value)).slice(1, -1)
}
