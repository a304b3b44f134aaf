import { Schema } from "effect"
import { text } from "../startDocument/fields.ts"

/** The building blocks of what the settings API takes: start documents' own, and those that limit a length. */
export {
  email,
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  record,
  secret,
  text,
  textId
} from "../startDocument/fields.ts"

/** Lengths count Unicode code points (R11). */
export const atMost = (max: number) => {
  const message = `must be at most ${max} characters long`
  return Schema.makeFilter((value: string) => value.length <= max || [...value].length <= max || message)
}

/** What people call a thing by. */
export const name = (description: string) =>
  text(description).check(Schema.isPattern(/\S/u, { message: "must not be blank" }), atMost(255))

/** Text for people, or null for none. */
export const nullableTextUpTo = (max: number, description: string) =>
  Schema.NullOr(Schema.String.check(atMost(max))).annotate({ message: "must be a string or null", description })
