import { Effect, Result, type Schema } from "effect"
import { Invalid, Malformed } from "../errors.ts"
import { inDocumentOrder, type Lenient, withoutRefused } from "../startDocument/lenient.ts"
import { decodeAll, type Found, pathText, type Report } from "../startDocument/problems.ts"

/** A JSON object as it came in. Keys that nobody knows are passed over, as in v2 (R11). */
export type SettingsInput = Readonly<Record<string, unknown>>

interface Fields extends Schema.ConstraintDecoder<unknown> {
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * What the input says, or everything that is wrong with it, by field. `check` sees to what depends on more than the value
 * itself; it gets what is left when the schema's refusals are taken out, so that all comes at once.
 */
export const readInput = Effect.fnUntraced(function* <S extends Fields, R = never>(
  schema: S,
  input: SettingsInput,
  check?: (rest: Lenient<S["Type"]>, report: Report) => Effect.Effect<void, never, R>
) {
  const decoded = decodeAll(schema, "ignored")(input)
  const found: Array<Found> = Result.isFailure(decoded) ? [...decoded.failure] : []
  const rest = withoutRefused(
    Result.isSuccess(decoded) ? decoded.success : input,
    found.map(({ path }) => path)
  )
  if (check !== undefined) yield* check(rest as Lenient<S["Type"]>, (path, message) => found.push({ path, message }))
  if (Result.isSuccess(decoded) && found.length === 0) return decoded.success as S["Type"]
  return yield* invalid(found, input)
})

const invalid = (found: ReadonlyArray<Found>, input: SettingsInput): Invalid => {
  const order = inDocumentOrder(input)
  return new Invalid({
    problems: found
      .toSorted((one, other) => order(one.path, other.path))
      .map(({ message, path }) => ({ path: pathText(path), message }))
  })
}

/** A change has to change something: 400 for one with none of the fields that can be changed (R11). */
export const requireAnyField = (schema: Fields, input: SettingsInput): Effect.Effect<void, Malformed> => {
  const known = Object.keys(schema.fields)
  return known.some((key) => Object.hasOwn(input, key))
    ? Effect.void
    : Effect.fail(new Malformed({ reason: `The body must have at least one of ${known.join(", ")}` }))
}
