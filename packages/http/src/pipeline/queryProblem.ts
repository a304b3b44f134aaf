import { suggest } from "@tapedeck/core/input"
import { isStorableText, UNSTORABLE_TEXT } from "@tapedeck/domain/internal"
import type { Endpoint, RouteMatch } from "../routes.ts"
import { type Refusal, refuseParameters } from "./refusals.ts"

type Search = RouteMatch<never>["search"]

/** Maximum number of problems in one message. */
const maxNamed = 20

/**
 * What is wrong with a query before its values are decoded: a known parameter given more than once, text that no store
 * keeps, and, where it is strict, unknown parameters. Undefined where nothing is.
 */
export const queryProblem = <R>(endpoint: Endpoint<R>, search: Search, strict: boolean): Refusal | undefined => {
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

/** Whether nothing is wrong. It allocates nothing: most queries need no other check. */
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
