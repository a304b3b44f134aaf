import {
  acceptedPart,
  type DecodedInput,
  inDocumentOrder,
  type Lenient,
  type PathProblem,
  pathText,
  type Report,
  unstorableText
} from "@tapedeck/domain/input"
import { Effect } from "effect"
import { InputInvalid, InputMalformed } from "../errors.ts"

/**
 * The value of an input, or all of its problems by field. `check` checks what depends on more than the value itself; it gets the part
 * that the schema accepted, so that all problems are reported at once.
 */
export const valueOf = Effect.fnUntraced(function* <A, R = never>(
  decoded: DecodedInput<A>,
  check?: (rest: Lenient<A>, report: Report) => Effect.Effect<void, never, R>
) {
  const { isCut, json, value } = decoded
  const found: Array<PathProblem> = [...decoded.problems]
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

/** Refuses text that no store can keep: 400, for use cases whose 422 would reveal too much or come too late. */
export const requireStorable = ({ json }: DecodedInput<unknown>): Effect.Effect<void, InputMalformed> => {
  const found = unstorableText(json)
  const reason = found.map(({ message, path }) => `${pathText(path)}: ${message}`).join("; ")
  return found.length === 0 ? Effect.void : Effect.fail(new InputMalformed({ reason }))
}
