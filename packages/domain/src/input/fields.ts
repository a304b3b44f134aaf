import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Struct from "effect/Struct"
import { parseRecordingUuid } from "../ids.ts"
import { isJson, type Json, type JsonObject, MAX_JSON_DEPTH } from "../json.ts"
import { MAX_SECRET_LENGTH, secretProblem } from "../receivers/webhookSecret.ts"
import { parseIso } from "../time.ts"

/**
 * Fields of inputs and start documents. Their messages tell what a value must be, and follow its path. They do not contain the value,
 * because it may be a secret.
 */
export const text = (description: string) => Schema.String.annotate({ message: "must be a string", description })

/** A text or null. `fallback` is the default, for the description. */
export const nullableText = (description: string, fallback = "null") =>
  Schema.NullOr(Schema.String).annotate({
    message: "must be a string or null",
    description: `${description} Default: ${fallback}.`
  })

export const tooLong = (max: number) => `must be at most ${max} characters long`

/** Limit of a text's length, in Unicode code points. */
export const atMost = (max: number) => Schema.isMaxCodePoints(max, { message: tooLong(max) })

/** Limit of a value's length as JSON, in UTF-16 units. */
export const atMostAsJson = (max: number) =>
  Schema.makeFilter((value: unknown) => JSON.stringify(value).length <= max || `${tooLong(max)}, as JSON`)

/** Text of a maximum length, or null for none. */
export const nullableTextUpTo = (max: number, description: string) =>
  Schema.NullOr(Schema.String.check(atMost(max))).annotate({ message: "must be a string or null", description })

/** Line breaks and other control characters, which names must not have, because they are shown on one line and are sent in headers of mails. */
const control = /[\p{Cc}\u2028\u2029]/u

const nameProblem = (value: string) => {
  if (!/\S/u.test(value)) return "must not be blank"
  // NUL has a message of its own (`unstorableText`).
  return control.test(value.replaceAll("\0", "")) ? "must not contain line breaks or other control characters" : true
}

/** A name on one line. */
export const label = (description: string) => text(description).check(Schema.makeFilter(nameProblem), atMost(255))

export const flag = (description: string) => Schema.Boolean.annotate({ message: "must be true or false", description })

/** An integer within bounds, which `message` names. */
export const integer = (
  message: string,
  bounds: { readonly minimum: number; readonly maximum: number },
  description: string
) =>
  Schema.Number.annotate({ message, description }).check(
    Schema.isInt({ message }),
    Schema.isBetween(bounds, { message })
  )

export const natural = (description: string) =>
  integer("must be an integer of at least 0", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, description)

export const nullableNatural = (description: string, fallback = "null") => {
  const message = "must be an integer of at least 0, or null"
  const count = Schema.Number.check(
    Schema.isInt({ message }),
    Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, { message })
  )
  return Schema.NullOr(count).annotate({ message, description: `${description} Default: ${fallback}.` })
}

/** Account, user and recording ids. */
export const numericId = (description: string) =>
  integer("must be an integer of at least 1", { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, description)

/** Folder, automation and destination ids. */
export const textId = (description: string) =>
  text(description).check(Schema.isNonEmpty({ message: "must not be empty" }), atMost(255))

/** Id of a folder or a site, or null for none. */
export const nullableTextId = (description: string) =>
  Schema.NullOr(textId(description)).annotate({ message: "must be a string or null", description })

/** Secret that signs deliveries. Its messages do not contain it. */
export const secret = (description: string) =>
  text(description).check(
    Schema.isNonEmpty({ message: "must not be empty" }),
    Schema.makeFilter((value) => value === "" || (secretProblem(value) ?? true), {
      toJsonSchema: () => ({ maxLength: MAX_SECRET_LENGTH })
    })
  )

/** Pattern of e-mail addresses, without `\p{Cc}`, which not all languages that read OpenAPI documents support. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an address has none
const emailForm = /^[^\s\u0000-\u001f\u007f-\u009f@]+@[^\s\u0000-\u001f\u007f-\u009f@]+$/u

/** An e-mail address: a local part, an `@`, and a domain, as in the search for a user. */
export const email = (description: string) => {
  const message = "must be an e-mail address"
  return Schema.String.annotate({ message, description, format: "email" }).check(
    Schema.isPattern(emailForm, { message })
  )
}

const notAnInstant = "must be an ISO 8601 date and time such as 2026-01-01T09:00:00.000Z"
const anInstant = Schema.makeFilter((value: string) => parseIso(value) !== undefined || notAnInstant, {
  toJsonSchema: () => ({ format: "date-time" })
})

export const instant = (description: string) =>
  Schema.String.annotate({ message: notAnInstant, description }).check(anInstant)

export const nullableInstant = (description: string) =>
  Schema.NullOr(Schema.String.check(anInstant)).annotate({
    message: `${notAnInstant}, or null`,
    description: `${description} ISO 8601. Default: null.`
  })

export const uuid = (description: string) =>
  Schema.String.annotate({ message: "must be a UUID", description }).check(
    Schema.makeFilter((value) => parseRecordingUuid(value) !== undefined || "must be a UUID", {
      toJsonSchema: () => ({ format: "uuid" })
    })
  )

export const oneOf = <const Values extends ReadonlyArray<string>>(values: Values, description: string) =>
  Schema.Literals(values).annotate({ message: `must be one of ${values.join(", ")}`, description })

export const list = <Item extends Schema.Constraint>(item: Item, description: string) =>
  Schema.Array(item).annotate({ message: "must be a list", description })

/** A list with a maximum number of items. */
export const listUpTo = <Item extends Schema.Constraint>(maximum: number, item: Item, description: string) =>
  list(item, description).check(Schema.isMaxLength(maximum, { message: `must have at most ${maximum} items` }))

export const record = <Value extends Schema.Constraint>(value: Value, description: string) =>
  Schema.Record(Schema.String, value).annotate({ message: "must be an object", description })

export const object = <const Fields extends Schema.Struct.Fields>(fields: Fields, description: string) =>
  Schema.Struct(fields).annotate({ message: "must be an object", description })

/** The fields, each as an optional key. */
export const optional = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Struct.map(fields, Schema.optionalKey)

/** An input with at least one of the fields. */
export const change = <const Fields extends Schema.Struct.Fields>(fields: Fields, description: string) => {
  const names = Object.keys(fields)
  return object(optional(fields), description).check(
    Schema.makeFilter((value) => names.some((name) => Object.hasOwn(value, name)), {
      message: `The body must have at least one of ${names.join(", ")}`,
      toJsonSchema: () => ({ minProperties: 1 })
    })
  )
}

export const nullable = <Inner extends Schema.Constraint>(inner: Inner, description: string) =>
  Schema.NullOr(inner).annotate({ message: "must be an object or null", description })

export const nullableList = <Item extends Schema.Constraint>(item: Item, description: string) =>
  Schema.NullOr(Schema.Array(item)).annotate({ message: "must be a list or null", description })

const notJson = `must be JSON of at most ${MAX_JSON_DEPTH} levels`

/**
 * A list of free-form items; `json` says what they are in the JSON Schema. It is one check, because a schema for each of many small
 * items takes longer than to read them.
 */
const freeForm = <A extends Json>(
  isItem: (value: unknown) => value is A,
  json: Schema.Codec<A>,
  message: string,
  documentation: { readonly description?: string; readonly examples?: readonly [ReadonlyArray<A>] } = {}
) =>
  Schema.declare((value): value is ReadonlyArray<A> => Array.isArray(value), {
    message,
    toCodecJson: () =>
      Schema.link<ReadonlyArray<A>>()(Schema.Array(json).annotate(documentation), SchemaTransformation.passthrough())
  }).check(
    Schema.makeFilter((items: ReadonlyArray<unknown>) => {
      for (const [index, item] of items.entries()) if (!isItem(item)) return { path: [index], issue: notJson }
      return true
    })
  )

const isItem = (value: unknown): value is Json => isJson(value, MAX_JSON_DEPTH - 1)

const isObjectItem = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && isItem(value)

/** Any JSON in a list of at most so many characters as JSON, or null. */
export const nullableListOfJson = (maxCharacters: number, description: string, example: Json) =>
  Schema.NullOr(freeForm(isItem, Schema.Json, "must be a list or null").check(atMostAsJson(maxCharacters))).annotate({
    message: "must be a list or null",
    description: `${description} At most ${maxCharacters} characters as JSON.`,
    examples: [[example]]
  })

export const listOfJsonObjects = (description: string, example: JsonObject) =>
  freeForm(isObjectItem, Schema.Record(Schema.String, Schema.Json), "must be a list", {
    description,
    examples: [[example]]
  })
