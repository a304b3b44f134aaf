/** A JSON Schema, as far as these documents use it. */
export interface JsonSchema {
  type?: string | Array<string>
  $ref?: string
  description?: string
  format?: string
  enum?: Array<unknown>
  default?: unknown
  examples?: Array<unknown>
  properties?: Record<string, JsonSchema>
  required?: Array<string>
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  anyOf?: Array<JsonSchema>
  allOf?: Array<JsonSchema>
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

/**
 * The schema as an integrator would write it: `type: [string, "null"]` for what is nullable, and open objects, since a
 * reader has to bear new keys and a request's other keys are ignored (R11).
 */
export const readable = (schema: JsonSchema): JsonSchema => {
  if (schema.anyOf !== undefined) return nullable(schema, schema.anyOf)
  const { allOf, additionalProperties, ...rest } = schema
  const own = Object.assign({}, rest, ...(allOf ?? []).map(readable)) as JsonSchema
  // Every integer is a safe one here: that bound says nothing to a reader.
  if (own.minimum === Number.MIN_SAFE_INTEGER) delete own.minimum
  if (own.maximum === Number.MAX_SAFE_INTEGER) delete own.maximum
  return {
    ...own,
    ...(own.properties && { properties: mapValues(own.properties, readable) }),
    ...(own.items && { items: readable(own.items) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: readable(additionalProperties) })
  }
}

const nullable = (schema: JsonSchema, anyOf: ReadonlyArray<JsonSchema>): JsonSchema => {
  const { anyOf: _, ...rest } = schema
  const [first, second] = anyOf.map(readable)
  return typeof first?.type === "string" && second?.type === "null"
    ? { ...first, ...rest, type: [first.type, "null"] }
    : { ...rest, anyOf: anyOf.map(readable) }
}

/** A value that fits the schema, made of the examples that its parts give. */
export const exampleOf = (schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): unknown => {
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.slice("#/components/schemas/".length)]
    return target === undefined ? null : exampleOf(target, schemas)
  }
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0], schemas)
  if (schema.items !== undefined) return [exampleOf(schema.items, schemas)]
  return mapValues(schema.properties ?? {}, (property) => exampleOf(property, schemas))
}

export const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  f: (value: A, key: string) => B
): Record<string, B> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]))
