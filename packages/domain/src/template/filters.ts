import type { Json } from "../json.ts"

interface Filter {
  /** A sentence without its full stop, for editors and documents. */
  readonly description: string
  /** True if the filter has a text for a missing value, which else stays missing. */
  readonly takesMissing?: true
  readonly apply: (value: Json) => string
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Percent-encodes everything but letters, digits, `-`, `.`, `_` and `~`; half a surrogate pair as the replacement character. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** The one table of filters. */
const filters = {
  html: {
    description: "Escapes `&`, `<`, `>` and quotes, for a text in HTML",
    apply: (value) => textOf(value).replace(/[&<>"']/g, (mark) => htmlEntities[mark] ?? mark)
  },
  markdown: {
    description: "Puts a backslash before characters that have a meaning in Markdown",
    apply: (value) => textOf(value).replace(/[\\`*_{}[\]()<>#+\-.!|~&=]/g, "\\$&")
  },
  url: {
    description: "Percent-encodes all but letters, digits and `-._~`, for a part of a URL",
    apply: (value) => percentEncoded(textOf(value))
  },
  json: {
    description: "Writes the value as JSON, a text in quotes, a missing value as `null`",
    takesMissing: true,
    apply: (value) => JSON.stringify(value)
  }
} as const satisfies Readonly<Record<string, Filter>>

/** A name that may follow a variable in a payload template: `{{recording.title | html}}`. */
export type TemplateFilter = keyof typeof filters

export const templateFilters = Object.keys(filters) as ReadonlyArray<TemplateFilter>

export const isTemplateFilter = (name: string): name is TemplateFilter => Object.hasOwn(filters, name)

/** Returns what a filter does, a sentence without its full stop. */
export const describeFilter = (name: TemplateFilter): string => filters[name].description

/** Returns the text of a value after a filter; null if the value is missing, and stays so. */
export const filtered = (name: TemplateFilter, value: Json): string | null => {
  const { apply, takesMissing }: Filter = filters[name]
  return value === null && takesMissing === undefined ? null : apply(value)
}
