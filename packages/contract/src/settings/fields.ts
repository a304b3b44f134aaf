import { Schema, type SchemaAST } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Struct from "effect/Struct"
import { errorV2 } from "../errors.ts"

export const exampleId = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"

/** An id in a path. Any text decodes: one that names nothing is 404. */
export const idParameter = (what: string, example: string = exampleId) =>
  Schema.String.annotate({ description: `Id of the ${what}.`, examples: [example] })

export const id = (what: string, example: string = exampleId) =>
  Schema.String.annotate({ description: `Identifies the ${what}.`, examples: [example] })

export const numericId = (what: string, example: number) =>
  Schema.Int.annotate({ description: `Identifies the ${what}.`, examples: [example] })

/** The description and the examples that a field has as an input. Other annotations of it, and its limits, are the input's. */
export const textsFrom = ({ ast }: { readonly ast: SchemaAST.AST }) => {
  const all = [ast, ...(ast.checks ?? [])].map(({ annotations = {} }) => annotations)
  return Object.assign(
    {},
    ...all.map(({ description, examples }) => ({
      ...(description !== undefined && { description }),
      ...(examples !== undefined && { examples })
    }))
  ) as { readonly description?: string }
}

/** Fields of a response, as their inputs describe them. A newer server may have values in them that this contract does not know. */
export const textAs = (input: Schema.Top) => Schema.String.annotate(textsFrom(input))
export const uriAs = (input: Schema.Top) => Schema.String.annotate({ ...textsFrom(input), format: "uri" })
export const flagAs = (input: Schema.Top) => Schema.Boolean.annotate(textsFrom(input))
export const integerAs = (input: Schema.Top) => Schema.Int.annotate(textsFrom(input))
export const nullableTextAs = (input: Schema.Top) => Schema.NullOr(Schema.String).annotate(textsFrom(input))
export const textsAs = (input: Schema.Top) => Schema.Array(Schema.String).annotate(textsFrom(input))

export const flag = (description: string, example = true) =>
  Schema.Boolean.annotate({ description, examples: [example] })

/** Every key may be left out. */
export const optional = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Struct.map(fields, Schema.optionalKey)

export const listOf = <Item extends Schema.Constraint>(item: Item, description: string) =>
  Schema.Array(item).annotate({ description })

/** 201. It keeps the body's description: another one would make another schema of it in the document. */
export const created = <Body extends Schema.Top>(body: Body) => HttpApiSchema.status(201)(body)

export const noContent = (description: string) => HttpApiSchema.Empty(204).annotate({ description })

/** What reading a JSON body can be refused with. */
export const bodyErrors = [
  errorV2("BadRequest", "No body, no JSON, no object, or none of the fields that can be set."),
  errorV2("UnsupportedMediaType", "The body is not `application/json`."),
  errorV2("Unprocessable", "Values are not allowed; the message names every field that has one.")
] as const

export const noSuch = (what: string) => errorV2("NotFound", `There is no such ${what}.`)

export const noSuchRecording = errorV2("NotFound", "There is no such recording, or the caller may not see it.")

/** What stands in answers for what is secret. */
const masked = "In answers `••••••••` stands for what is secret."
export const secretsAreMasked =
  `${masked} Sent back, it means: as it was. Header values stay with their host: a change of \`url\` to another scheme, host or ` +
  "port needs `headers` with all their values."
