import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Lenient, withoutRefused } from "./lenient.ts"
import { decodeAll, type PathProblem, pathText, problemLine, reportsFirstProblem, unstorableText } from "./problems.ts"

/** A JSON object as received. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * The input of an operation, whose keys are known. Problems of its values are refused later, because an operation on a record that does
 * not exist is refused for that reason, whatever its input.
 */
export interface DecodedInput<A> {
  readonly json: JsonObject
  /** The decoded value; undefined if there are problems. */
  readonly value: A | undefined
  /** Problems of values, in no order; only the first one for a large input. */
  readonly problems: ReadonlyArray<PathProblem>
  /** True if there may be more problems than `problems` has. */
  readonly isCut: boolean
}

/** Returns the input without the refused values, for checks of the rest. */
export const acceptedPart = <A>({ json, problems, value }: DecodedInput<A>): Lenient<A> =>
  withoutRefused(
    value ?? json,
    problems.map(({ path }) => path)
  ) as Lenient<A>

/** Decodes an input. Fails with a reason if a key is unknown, at any level, or if the input as a whole is invalid, such as a change without fields. */
export const decodeInput =
  <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  (json: JsonObject): Result.Result<DecodedInput<S["Type"]>, string> => {
    const decoded = decodeAll(schema)(json)
    const refused = Result.isFailure(decoded) ? decoded.failure : []
    const malformed = refused.filter(({ isUnknownKey, path }) => isUnknownKey || path.length === 0)
    if (malformed.length > 0) return Result.fail(reasonOf(malformed))
    const isCut = refused.length > 0 && reportsFirstProblem(json)
    const problems = isCut ? refused : [...refused, ...unstorableText(json)]
    const value = Result.isSuccess(decoded) && problems.length === 0 ? decoded.success : undefined
    return Result.succeed({ json, value, problems, isCut })
  }

/** Returns an input for a value that is already decoded, with its problems. */
export const decodedAs = <A extends object>(value: A, problems: ReadonlyArray<PathProblem> = []): DecodedInput<A> => {
  const json = value as JsonObject
  const all = [...problems, ...unstorableText(json)]
  return { json, value: all.length === 0 ? value : undefined, problems: all, isCut: false }
}

/** Maximum number of problems that a reason names. */
const maxNamed = 20

const reasonOf = (malformed: ReadonlyArray<PathProblem>): string => {
  const named = malformed.slice(0, maxNamed).map(({ message, path }) => problemLine({ path: pathText(path), message }))
  const more = malformed.length > maxNamed ? [`and ${malformed.length - maxNamed} more`] : []
  return [...named, ...more].join("; ")
}
