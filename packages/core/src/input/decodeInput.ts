import {
  acceptedPart,
  type DecodedInput,
  decodeInput,
  type Found,
  inDocumentOrder,
  type JsonObject,
  type Lenient,
  pathText,
  type Report,
  unstorableText
} from "@tapedeck/domain/input"
import { Effect, type Schema } from "effect"
import { InputInvalid, InputMalformed } from "../errors.ts"

/** A JSON object as received. */
export type SettingsInput = JsonObject

interface Fields extends Schema.ConstraintDecoder<unknown> {
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * The value of an input, or all of its problems by field. `check` checks what depends on more than the value itself; it gets the part
 * that the schema accepted, so that all problems are reported at once.
 */
export const valueOf = Effect.fnUntraced(function* <A, R = never>(
  decoded: DecodedInput<A>,
  check?: (rest: Lenient<A>, report: Report) => Effect.Effect<void, never, R>
) {
  const { isCut, json, value } = decoded
  const found: Array<Found> = [...decoded.problems]
  if (!isCut && check !== undefined) {
    yield* check(acceptedPart(decoded), (path, message) => found.push({ path, message }))
  }
  if (value !== undefined && found.length === 0) return value
  const order = inDocumentOrder(json)
  return yield* new InputInvalid({
    problems: found
      .toSorted((one, other) => order(one.path, other.path))
      .map(({ message, path }) => ({ path: pathText(path), message }))
  })
})

/** `valueOf` an input that is decoded only now. Unknown keys are `InputMalformed`, at every level: no key is ignored silently. */
export const readInput = <S extends Fields, R = never>(
  schema: S,
  input: SettingsInput,
  check?: (rest: Lenient<S["Type"]>, report: Report) => Effect.Effect<void, never, R>
) => Effect.flatMap(decodedOnce(schema, input), (decoded) => valueOf<S["Type"], R>(decoded, check))

const decodedInputs = new WeakMap<SettingsInput, { readonly schema: Fields; readonly result: unknown }>()

/** A large body takes a tenth of a second, and a use case asks for its keys before it asks for its values. */
const decodedOnce = <S extends Fields>(
  schema: S,
  input: SettingsInput
): Effect.Effect<DecodedInput<S["Type"]>, InputMalformed> => {
  const before = decodedInputs.get(input)
  const result = (before?.schema === schema ? before.result : decodeInput(schema)(input)) as ReturnType<
    ReturnType<typeof decodeInput<S>>
  >
  decodedInputs.set(input, { schema, result })
  return Effect.mapError(Effect.fromResult(result), (reason) => new InputMalformed({ reason }))
}

/**
 * Refuses keys that the schema does not have: 400, which comes before 404 (R1). For use cases that look something up
 * before they call `readInput`.
 */
export const requireKnownKeys = (schema: Fields, input: SettingsInput): Effect.Effect<void, InputMalformed> =>
  Effect.asVoid(decodedOnce(schema, input))

/** Refuses text that no store keeps: 400, for use cases whose 422 would say too much or too late. */
export const requireStorable = ({ json }: DecodedInput<unknown>): Effect.Effect<void, InputMalformed> => {
  const found = unstorableText(json)
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
