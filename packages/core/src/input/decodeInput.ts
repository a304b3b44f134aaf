import { Effect, Result, type Schema } from "effect"
import { InputInvalid, InputMalformed } from "../errors.ts"
import { inDocumentOrder, type Lenient, withoutRefused } from "./lenient.ts"
import { decodeAll, type Found, pathText, type Report, reportsFirstProblem, unstorableText } from "./problems.ts"

/** A JSON object as received. */
export type SettingsInput = Readonly<Record<string, unknown>>

interface Fields extends Schema.ConstraintDecoder<unknown> {
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * Returns the decoded input, or all of its errors by field. `check` checks what depends on more than the value
 * itself; it gets the input without the values that the schema refused, so that all errors are reported at once. Unknown keys are
 * `InputMalformed`, at every level: no key is ignored silently.
 */
export const readInput = Effect.fnUntraced(function* <S extends Fields, R = never>(
  schema: S,
  input: SettingsInput,
  check?: (rest: Lenient<S["Type"]>, report: Report) => Effect.Effect<void, never, R>
) {
  const decoded = decodedOnce(schema, input)
  const refused = Result.isFailure(decoded) ? decoded.failure : []
  yield* refuseUnknown(refused)
  if (refused.length > 0 && reportsFirstProblem(input)) return yield* invalid(refused, input)
  const found: Array<Found> = [...refused, ...unstorableText(input)]
  const rest = withoutRefused(
    Result.isSuccess(decoded) ? decoded.success : input,
    found.map(({ path }) => path)
  )
  if (check !== undefined) yield* check(rest as Lenient<S["Type"]>, (path, message) => found.push({ path, message }))
  if (Result.isSuccess(decoded) && found.length === 0) return decoded.success as S["Type"]
  return yield* invalid(found, input)
})

const decoded = new WeakMap<SettingsInput, { readonly schema: Fields; readonly result: unknown }>()

/** A large body takes a tenth of a second, and a use case asks for its keys before it asks for its values. */
const decodedOnce = <S extends Fields>(
  schema: S,
  input: SettingsInput
): ReturnType<ReturnType<typeof decodeAll<S>>> => {
  const before = decoded.get(input)
  if (before?.schema === schema) return before.result as ReturnType<ReturnType<typeof decodeAll<S>>>
  const result = decodeAll(schema)(input)
  decoded.set(input, { schema, result })
  return result
}

const invalid = (found: ReadonlyArray<Found>, input: SettingsInput): InputInvalid => {
  const order = inDocumentOrder(input)
  return new InputInvalid({
    problems: found
      .toSorted((one, other) => order(one.path, other.path))
      .map(({ message, path }) => ({ path: pathText(path), message }))
  })
}

/** Maximum number of unknown keys that a message names. */
const maxNamed = 20

const refuseUnknown = (found: ReadonlyArray<Found>): Effect.Effect<void, InputMalformed> => {
  const unknown = found.filter(({ isUnknownKey }) => isUnknownKey)
  if (unknown.length === 0) return Effect.void
  const named = unknown.slice(0, maxNamed).map(({ message, path }) => `${pathText(path)}: ${message}`)
  const more = unknown.length > maxNamed ? [`and ${unknown.length - maxNamed} more`] : []
  return Effect.fail(new InputMalformed({ reason: [...named, ...more].join("; ") }))
}

/**
 * Refuses keys that the schema does not have: 400, which comes before 404 (R1). For use cases that look something up
 * before they call `readInput`.
 */
export const requireKnownKeys = (schema: Fields, input: SettingsInput): Effect.Effect<void, InputMalformed> => {
  const decoded = decodedOnce(schema, input)
  return Result.isFailure(decoded) ? refuseUnknown(decoded.failure) : Effect.void
}

/** Refuses text that no store keeps: 400, for use cases whose 422 would say too much or too late. */
export const requireStorable = (input: SettingsInput): Effect.Effect<void, InputMalformed> => {
  const found = unstorableText(input)
  const reason = found.map(({ message, path }) => `${pathText(path)}: ${message}`).join("; ")
  return found.length === 0 ? Effect.void : Effect.fail(new InputMalformed({ reason }))
}

/** The same for a change, which has to change something: 400 for one with none of the fields that can be changed (R11). */
export const requireAnyField = (schema: Fields, input: SettingsInput): Effect.Effect<void, InputMalformed> => {
  const known = Object.keys(schema.fields)
  const hasAny = known.some((key) => Object.hasOwn(input, key))
  const reason = `The body must have at least one of ${known.join(", ")}`
  return Effect.andThen(
    requireKnownKeys(schema, input),
    hasAny ? Effect.void : Effect.fail(new InputMalformed({ reason }))
  )
}
