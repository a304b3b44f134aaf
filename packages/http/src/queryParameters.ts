import { BadRequest } from "@tapedeck/contract"
import { suggest } from "@tapedeck/core"
import { isStorableText, UNSTORABLE_TEXT } from "@tapedeck/domain"
import { type Refusal, RefusedBy } from "./refusals.ts"
import type { Endpoint, Place } from "./routes.ts"

/** A message that names more parameters helps nobody. */
const maxNamed = 20

/** The refusal of parameters; by the first rule that one of them has. */
export const refuseParameters = (
  { parameterRules = {} }: Pick<Endpoint, "parameterRules">,
  names: Iterable<string>,
  message: string
): Refusal => {
  const error = new BadRequest({ message })
  for (const name of names) {
    const rule = parameterRules[name]
    if (rule !== undefined) return new RefusedBy(rule, error)
  }
  return error
}

/**
 * What is wrong with a query before its values are decoded: a known parameter given more than once, text that no store
 * keeps, and, where it is strict, unknown parameters. Undefined where nothing is.
 */
export const queryProblem = (
  target: string,
  endpoint: Endpoint,
  { root: { isStrict }, search }: Place
): Refusal | undefined => {
  const known = endpoint.parameters ?? []
  if (isPlain(search, known, isStrict)) return undefined
  const start = target.indexOf("?")
  const end = target.indexOf("#", start)
  const given = new URLSearchParams(target.slice(start + 1, end === -1 ? undefined : end))
  const problems = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of given) {
    if (problems.size === maxNamed) break
    const isKnown = known.includes(name)
    if (isKnown && seen.has(name)) problems.set(`${name} must be given once`, name)
    if (isKnown && !isStorableText(value)) problems.set(`${name} ${UNSTORABLE_TEXT}`, name)
    if (!isKnown && isStrict) problems.set(unknownParameter(name, known), name)
    seen.add(name)
  }
  if (problems.size === 0) return undefined
  return refuseParameters(endpoint, problems.values(), [...problems.keys()].join("; "))
}

/** Whether nothing is wrong: most queries are looked at no further. */
const isPlain = (search: Place["search"], known: ReadonlyArray<string>, isStrict: boolean): boolean => {
  for (const name in search) {
    const value = search[name]
    if (typeof value !== "string" || (known.includes(name) ? !isStorableText(value) : isStrict)) return false
  }
  return true
}

const unknownParameter = (name: string, known: ReadonlyArray<string>): string => {
  const meant = suggest(name, known)
  return `${name} is not a query parameter here${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
}
