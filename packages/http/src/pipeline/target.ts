import { suggest } from "@tapedeck/core/input"
import { isStorableText, UNSTORABLE_TEXT } from "@tapedeck/domain/internal/text"
import { type Refusal, refuseParameters } from "./refusals.ts"

/** A request target in its two parts (RFC 9112, 3.2.1). */
export interface Target {
  readonly path: string
  /** Query without the `?`. */
  readonly query: string
}

/** Splits a request target. `;` is a character of the path or of the query like any other; a fragment is no part of a request. */
export const splitTarget = (target: string): Target => {
  const fragment = target.indexOf("#")
  const sent = fragment === -1 ? target : target.slice(0, fragment)
  const start = sent.indexOf("?")
  return start === -1 ? { path: sent, query: "" } : { path: sent.slice(0, start), query: sent.slice(start + 1) }
}

/** A target for the router, for which `;` is another `?`. */
export const routableTarget = (target: string): string => {
  const { path, query } = splitTarget(target)
  const escaped = path.replaceAll(";", "%3B")
  return query === "" ? escaped : `${escaped}?${query}`
}

/** Returns the decoded text, because the bundler takes `decodeURI` for pure, and removes a call whose result is not used. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURI(text)
  } catch {
    return undefined
  }
}

const isDecodable = (text: string): boolean => decoded(text) !== undefined

/** The path of a target for the router. A segment that cannot be decoded is one of that text, so that the path before it is found. */
export const decodablePath = (target: string): string => {
  const path = routableTarget(splitTarget(target).path)
  if (isDecodable(path)) return path
  return path
    .split("/")
    .map((segment) => (isDecodable(segment) ? segment : segment.replaceAll("%", "%25")))
    .join("/")
}

/** Query parameters by their name; more than one value where a name is repeated. */
type Search = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Query parameters of an endpoint. */
interface Parameters {
  readonly parameters?: ReadonlyArray<string>
  readonly parameterRules?: Readonly<Record<string, string>>
}

/** Maximum number of problems in one message. */
const maxNamed = 20

/**
 * Returns the problem of a query before its values are decoded: a repeated known parameter, text that no store accepts, and, if `strict`,
 * an unknown parameter; undefined if there is none.
 */
export const queryProblem = (endpoint: Parameters, search: Search, strict: boolean): Refusal | undefined => {
  const known = endpoint.parameters ?? []
  if (isPlain(search, known, strict)) return undefined
  const problems = new Map<string, string>()
  for (const [name, given] of Object.entries(search)) {
    if (problems.size >= maxNamed) break
    const values = typeof given === "string" ? [given] : given
    if (known.includes(name)) {
      if (values.length > 1) problems.set(`${name} must be given once`, name)
      if (!values.every(isStorableText)) problems.set(`${name} ${UNSTORABLE_TEXT}`, name)
    } else if (strict) problems.set(unknownParameter(name, known), name)
  }
  if (problems.size === 0) return undefined
  return refuseParameters(endpoint, problems.values(), [...problems.keys()].join("; "))
}

/** Returns whether the query has no problem. Allocates nothing: most queries need no other check. */
const isPlain = (search: Search, known: ReadonlyArray<string>, strict: boolean): boolean => {
  for (const name in search) {
    const value = search[name]
    if (typeof value !== "string" || (known.includes(name) ? !isStorableText(value) : strict)) return false
  }
  return true
}

const unknownParameter = (name: string, known: ReadonlyArray<string>): string => {
  const meant = suggest(name, known)
  return `${name} is not a query parameter here${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
}

/** A request target without the path before it; undefined where it does not lie below that path. */
export const pathBelow = (path: string, target: string): string | undefined => {
  const rest = target.startsWith(path) ? target.slice(path.length) : undefined
  if (rest === undefined || !/^([/?]|$)/.test(rest)) return undefined
  return rest.startsWith("/") ? rest : `/${rest}`
}
