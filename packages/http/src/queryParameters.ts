import { BadRequest } from "@tapedeck/contract"
import { suggest } from "@tapedeck/core"
import { isStorableText, UNSTORABLE_TEXT } from "@tapedeck/domain"
import { Effect, SchemaAST } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"

/** The names of an endpoint's query parameters. */
export const parametersOf = ({ query }: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const ast = query === undefined ? undefined : SchemaAST.toEncoded(query.ast)
  return ast?._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** Whether other parameters than the known ones are refused: the settings API does, v1 and v2 ignore them. */
export type UnknownParameters = "refused" | "ignored"

/** A message that names more parameters helps nobody. */
const maxNamed = 20

/**
 * What is wrong with a query before its values are decoded: a known parameter given more than once, text that no store
 * keeps, and unknown parameters where they are refused. Undefined where nothing is.
 */
const queryProblem = (
  query: string,
  known: ReadonlyArray<string>,
  unknown: UnknownParameters
): BadRequest | undefined => {
  const given = new URLSearchParams(query)
  const problems = new Set<string>()
  const seen = new Set<string>()
  for (const [name, value] of given) {
    if (problems.size === maxNamed) break
    const isKnown = known.includes(name)
    if (isKnown && seen.has(name)) problems.add(`${name} must be given once`)
    if (isKnown && !isStorableText(value)) problems.add(`${name} ${UNSTORABLE_TEXT}`)
    if (!isKnown && unknown === "refused") problems.add(unknownParameter(name, known))
    seen.add(name)
  }
  return problems.size === 0 ? undefined : new BadRequest({ message: [...problems].join("; ") })
}

const unknownParameter = (name: string, known: ReadonlyArray<string>): string => {
  const meant = suggest(name, known)
  return `${name} is not a query parameter here${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
}

/** The same, for the current request. */
export const checkQuery = (
  known: ReadonlyArray<string>,
  unknown: UnknownParameters
): Effect.Effect<void, BadRequest, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
    const start = url.indexOf("?")
    if (start === -1) return Effect.void
    const end = url.indexOf("#", start)
    const problem = queryProblem(url.slice(start + 1, end === -1 ? undefined : end), known, unknown)
    return problem === undefined ? Effect.void : Effect.fail(problem)
  })
