import * as Result from "effect/Result"
import { suggest } from "../suggest.ts"
import { percentEncoded } from "./filters.ts"
import { describeVariable, type TemplateVariable, templateVariables } from "./variables.ts"

/** Maximum length of a rendered URL, in characters, all of which are ASCII. */
export const MAX_RENDERED_URL_LENGTH = 8_192

/** A URL with variables in path segments and query values, cut at them. Only `parseUrlTemplate` makes one. */
export interface UrlTemplate {
  readonly parts: ReadonlyArray<string | { readonly variable: TemplateVariable }>
}

/** The texts of a URL's variables at the time of the event. A missing variable has none. */
export type UrlValues = Readonly<Partial<Record<string, string>>>

/** A rendered URL; else the variables that are missing, or the reason why the values give no valid URL. */
export type RenderedUrl =
  | { readonly url: string }
  | { readonly missing: ReadonlyArray<TemplateVariable> }
  | { readonly problem: string }

export const hasVariables = (url: string): boolean => url.includes("{{")

const placeholder = /\{\{[ \t]*([\w.]+)[ \t]*(?:\|[ \t]*([\w.]+)[ \t]*)?\}\}/y

/** Returns the part of a URL that an offset is in, by its text alone: no backslash or control character is in it. */
const placeOf = (url: string, at: number): string | undefined => {
  const authorityAt = url.indexOf("://") + 3
  const end = url.slice(authorityAt).search(/[/?#]/)
  const authorityEnd = end === -1 ? url.length : authorityAt + end
  if (at < authorityAt) return "the scheme"
  if (at < authorityEnd || authorityEnd === authorityAt) return "the host or port"
  const before = url.slice(authorityEnd, at)
  if (before.includes("#")) return "the fragment"
  const query = before.indexOf("?")
  if (query === -1 || before.slice(Math.max(query, before.lastIndexOf("&"))).includes("=")) return undefined
  return "the name of a query parameter"
}

const variableNames = new Set<string>(templateVariables)

const problemOf = (name: string, filter: string | undefined, place: string | undefined): string | undefined => {
  if (place !== undefined) {
    return `is in ${place}: only path segments and query values can have variables`
  }
  if (filter !== undefined) return "has a filter: a URL takes none, its values are percent-encoded"
  if (!variableNames.has(name)) {
    const meant = suggest(name, templateVariables) ?? templateVariables.find((one) => one.endsWith(`.${name}`))
    return `is no variable${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
  }
  return describeVariable(name as TemplateVariable).type === "array" ? "is a list, which a URL cannot have" : undefined
}

/** Maximum number of variables of a URL. */
const MAX_URL_VARIABLES = 20

/**
 * Reads a URL with `{{name}}` in path segments and query values. Fails with the problems, which name the variable, its place in the URL and
 * its offset, counted from 1. The rest of the URL is checked by `validateWebhookUrl`, on `withSampleValues`.
 */
export const parseUrlTemplate = (text: string): Result.Result<UrlTemplate, ReadonlyArray<string>> => {
  const parts: Array<UrlTemplate["parts"][number]> = []
  const problems: Array<string> = []
  let from = 0
  for (let at = text.indexOf("{{"); at !== -1; at = text.indexOf("{{", from)) {
    placeholder.lastIndex = at
    const match = placeholder.exec(text)
    if (match === null) {
      return Result.fail([...problems, `character ${at + 1}: "{{" must be followed by the name of a variable and "}}"`])
    }
    const [, name = "", filter] = match
    const problem = problemOf(name, filter, placeOf(text, at))
    if (problem !== undefined) problems.push(`character ${at + 1}: ${name} ${problem}`)
    parts.push(text.slice(from, at), { variable: name as TemplateVariable })
    from = placeholder.lastIndex
    if (parts.length > 2 * MAX_URL_VARIABLES) return Result.fail([`has more than ${MAX_URL_VARIABLES} variables`])
  }
  return problems.length > 0 ? Result.fail(problems) : Result.succeed({ parts: [...parts, text.slice(from)] })
}

/** Returns the variables of a URL. */
export const urlVariables = ({ parts }: UrlTemplate): ReadonlySet<TemplateVariable> =>
  new Set(parts.flatMap((part) => (typeof part === "string" ? [] : [part.variable])))

/** Returns the URL with a text for each variable, to check what does not depend on values. */
export const withSampleValues = ({ parts }: UrlTemplate): string =>
  parts.map((part) => (typeof part === "string" ? part : "x")).join("")

/** Returns a path segment, or another stretch of a URL, that URL parsers take for `.` or `..`, encoded or not. */
const dotSegment = /^(?:\.|%2e){1,2}$/i

/**
 * Renders a URL. Each value is percent-encoded as a whole, so that it adds no segment, parameter or fragment. A segment that would be `.` or
 * `..` cannot be encoded, because URL parsers decode it first: such a URL is a problem, like one that is too long.
 */
export const renderUrl = (template: UrlTemplate, values: UrlValues): RenderedUrl => {
  const missing = [...urlVariables(template)].filter((name) => (values[name] ?? "") === "")
  if (missing.length > 0) return { missing }
  const url = template.parts
    .map((part) => (typeof part === "string" ? part : percentEncoded(values[part.variable] ?? "")))
    .join("")
  if (url.length > MAX_RENDERED_URL_LENGTH) {
    return { problem: `the URL would be longer than ${MAX_RENDERED_URL_LENGTH} characters` }
  }
  const sample = withSampleValues(template)
  if (
    segmentsOf(url).some(
      (segment, index) => dotSegment.test(segment) && !dotSegment.test(segmentsOf(sample)[index] ?? "")
    )
  ) {
    return { problem: "a value would make a path segment of the URL `.` or `..`" }
  }
  return new URL(url).origin === new URL(sample).origin
    ? { url }
    : { problem: "a value would change the host of the URL" }
}

const segmentsOf = (url: string): ReadonlyArray<string> => url.split(/[?#]/, 1)[0]!.split("/")
