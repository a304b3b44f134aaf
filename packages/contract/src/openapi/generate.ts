import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { type JsonSchema, mapValues, readable, withJsonValues } from "./schemas.ts"
import type { OpenApiDocument, OpenApiOperation } from "./types.ts"

/** Annotations of the wire schemas that are JSON Schema keywords which Effect does not carry over by itself. */
const keywords = new Set(["minLength", "maxLength", "minProperties"])
const options: OpenApi.FromApiOptions = { includeAnnotationKey: (key) => keywords.has(key) }

/** The document that Effect generates from the definitions, with loose types. */
interface Generated {
  readonly info: OpenApiDocument["info"]
  readonly tags: OpenApiDocument["tags"]
  readonly paths: Record<string, Record<string, GeneratedOperation>>
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}

export interface GeneratedOperation extends Omit<OpenApiOperation, "responses"> {
  readonly responses: Record<
    string,
    { readonly description: string; readonly content?: Record<string, { readonly schema: JsonSchema }> }
  >
}

/** Returns the parts of an API's document, with readable schemas. */
export const generate = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Omit<Generated, "components"> & { readonly schemas: Record<string, JsonSchema> } => {
  const { components, info, paths, tags } = OpenApi.fromApi(api, options) as unknown as Generated
  return { info, tags, paths, schemas: mapValues(components.schemas, (schema) => withJsonValues(readable(schema))) }
}
