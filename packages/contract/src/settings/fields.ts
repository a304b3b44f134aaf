import { Schema, type SchemaAST } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Struct from "effect/Struct"
import { errorV2 } from "../errors.ts"

export const exampleId = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"

/** An id in a path. Any text decodes; an unknown id is 404. */
export const idParameter = (noun: string, example: string = exampleId) =>
  Schema.String.annotate({ description: `Id of the ${noun}.`, examples: [example] })

export const id = (noun: string, example: string = exampleId) =>
  Schema.String.annotate({ description: `Id of the ${noun}.`, examples: [example] })

export const numericId = (noun: string, example: number) =>
  Schema.Int.annotate({ description: `Id of the ${noun}.`, examples: [example] })

/** The description and the examples of an input field, without its other annotations and its limits. */
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

/** Fields of a response, with the texts of their inputs. They have no limits, because a newer server may have values that this contract does not know. */
export const textAs = (input: Schema.Top) => Schema.String.annotate(textsFrom(input))
export const uriAs = (input: Schema.Top) => Schema.String.annotate({ ...textsFrom(input), format: "uri" })
export const flagAs = (input: Schema.Top) => Schema.Boolean.annotate(textsFrom(input))
export const integerAs = (input: Schema.Top) => Schema.Int.annotate(textsFrom(input))
export const nullableTextAs = (input: Schema.Top) => Schema.NullOr(Schema.String).annotate(textsFrom(input))
export const textsAs = (input: Schema.Top) => Schema.Array(Schema.String).annotate(textsFrom(input))

export const flag = (description: string, example = true) =>
  Schema.Boolean.annotate({ description, examples: [example] })

/** The fields, each as an optional key. */
export const optional = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Struct.map(fields, Schema.optionalKey)

export const listOf = <Item extends Schema.Constraint>(item: Item, description: string) =>
  Schema.Array(item).annotate({ description })

/** Response 201. The body keeps its description: another one would add a second schema of it to the document. */
export const created = <Body extends Schema.Top>(body: Body) => HttpApiSchema.status(201)(body)

export const noContent = (description: string) => HttpApiSchema.Empty(204).annotate({ description })

/** Errors of reading a JSON body. */
export const bodyErrors = [
  errorV2("BadRequest", "The body is missing, is not a JSON object, or has none of the fields that can be set."),
  errorV2("UnsupportedMediaType", "The body is not `application/json`."),
  errorV2("Unprocessable", "Values are invalid. The message names the field of each.")
] as const

export const noSuch = (noun: string) =>
  errorV2("NotFound", `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)} not found.`)

export const noSuchRecording = errorV2("NotFound", "The recording does not exist, or the caller cannot see it.")

export const secretsAreMasked =
  "Responses have `••••••••` in place of secret values; a request that sends it back keeps the stored value. Header values belong to " +
  "their host: a change of `url` to another scheme, host or port requires `headers` with all values."
