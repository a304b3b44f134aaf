/** The part of JSON Schema that these documents use. */
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
  minItems?: number
  maxItems?: number
  minProperties?: number
}

/** Rewrites a generated schema as an integrator would write it: `type: [string, "null"]` for nullable values, and open objects, because
 * responses may have new keys, and unknown keys of requests are ignored.
 */
export const readable = (schema: JsonSchema): JsonSchema => {
  if (schema.anyOf !== undefined) return nullable(schema, schema.anyOf)
  const { allOf, additionalProperties, ...rest } = schema
  const own = Object.assign({}, rest, ...(allOf ?? []).map(readable)) as JsonSchema
  // Every integer is a safe one, so these bounds tell a reader nothing.
  if (own.minimum === Number.MIN_SAFE_INTEGER) delete own.minimum
  if (own.maximum === Number.MAX_SAFE_INTEGER) delete own.maximum
  return {
    ...own,
    ...(own.properties && { properties: mapValues(own.properties, readable) }),
    ...(own.items && { items: readable(own.items) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: readable(additionalProperties) }),
    // Any JSON object. Without this, generators of clients read it as an empty object.
    ...(own.type === "object" && !own.properties && !additionalProperties && { additionalProperties: true })
  }
}

const jsonValueRef = { $ref: "#/components/schemas/JsonValue" }

/** Schema of any JSON value. Items of arrays have no schema, because openapi-typescript writes no recursive type for them. */
export const jsonValue: JsonSchema = {
  description: "Any JSON value.",
  anyOf: [
    { type: "string" },
    { type: "number" },
    { type: "boolean" },
    { type: "null" },
    { type: "array", items: {} },
    { type: "object", additionalProperties: jsonValueRef }
  ],
  examples: ["a"]
}

const saysType = ["type", "$ref", "anyOf", "allOf", "enum", "properties", "items"] as const

/** Replaces empty schemas by references to `JsonValue`, because generators of clients create no type for an empty schema. */
export const withJsonValues = (schema: JsonSchema): JsonSchema => {
  if (saysType.every((keyword) => schema[keyword] === undefined)) return { ...jsonValueRef, ...schema }
  const { additionalProperties, anyOf, properties, type } = schema
  const items = [type].flat().includes("array") ? (schema.items ?? {}) : undefined
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, withJsonValues) }),
    ...(items && { items: withJsonValues(items) }),
    ...(anyOf && { anyOf: anyOf.map(withJsonValues) }),
    ...(additionalProperties === true && { additionalProperties: jsonValueRef }),
    ...(typeof additionalProperties === "object" && { additionalProperties: withJsonValues(additionalProperties) })
  }
}

const nullable = (schema: JsonSchema, anyOf: ReadonlyArray<JsonSchema>): JsonSchema => {
  const { anyOf: _, ...rest } = schema
  const [first, second] = anyOf.map(readable)
  return typeof first?.type === "string" && second?.type === "null"
    ? { ...first, ...rest, type: [first.type, "null"], ...(first.enum && { enum: [...first.enum, null] }) }
    : { ...rest, anyOf: anyOf.map(readable) }
}

/** Returns a value that matches the schema, composed of the examples of its parts. */
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
