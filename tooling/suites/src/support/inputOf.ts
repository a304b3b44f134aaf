import { type DecodedInput, decodeInput, type JsonObject } from "@tapedeck/domain/input"
import { Result, type Schema } from "effect"

/** The decoded input of an operation whose keys are known. */
export const inputOf = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  json: JsonObject
): DecodedInput<S["Type"]> => Result.getOrThrow(decodeInput(schema)(json))
