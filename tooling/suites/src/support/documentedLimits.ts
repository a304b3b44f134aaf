/** A JSON Schema of an OpenAPI document, as far as limits are read from it. */
interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly format?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly examples?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

interface Documented {
  readonly operationId: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly requestBody?: {
    readonly content: { readonly "application/json"?: { readonly schema: JsonSchema; readonly example: object } }
  }
}

export interface LimitsDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** A body at a limit that a document gives, and the same one beyond it. */
export interface DocumentedLimit {
  readonly operation: string
  readonly tag: string
  readonly method: string
  readonly path: string
  /** Of the field, as refusals name it. */
  readonly field: string
  readonly limit: string
  readonly at: object
  readonly beyond: object
}

type Edges = ReadonlyArray<readonly [limit: string, at: unknown, beyond: unknown]>

const edgesOf = (schema: JsonSchema): Edges => {
  const { enum: values, format, maxItems, maxLength, maximum, minItems, minLength, minimum, type } = schema
  const items = (count: number) => {
    const [item] = (schema.examples?.[0] ?? ["x"]) as ReadonlyArray<unknown>
    return Array<unknown>(count).fill(item)
  }
  const long = (length: number) => {
    if (format === "email") return `${"x".repeat(length - "@a.test".length)}@a.test`
    // The URL of an automation has no format, because it can have variables: its example says what it is.
    const isUrl = format === "uri" || /^https?:/.test(String(schema.examples?.[0]))
    return isUrl ? "https://a.test/".padEnd(length, "a") : "🎥".repeat(length)
  }
  const types = [type].flat()
  return [
    ...(maxLength === undefined ? [] : [["maxLength", long(maxLength), long(maxLength + 1)] as const]),
    ...(minLength === undefined ? [] : [["minLength", "x".repeat(minLength), "x".repeat(minLength - 1)] as const]),
    ...(maxItems === undefined ? [] : [["maxItems", items(maxItems), items(maxItems + 1)] as const]),
    ...(minItems === undefined ? [] : [["minItems", items(minItems), items(minItems - 1)] as const]),
    ...(maximum === undefined ? [] : [["maximum", maximum, maximum + 1] as const]),
    ...(minimum === undefined ? [] : [["minimum", minimum, minimum - 1] as const]),
    ...(values === undefined ? [] : values.map((value) => ["enum", value, "another"] as const)),
    ...(format === "email" ? [["format", schema.examples?.[0], "no address"] as const] : []),
    ...(types.includes("null") ? [["null", null, {}] as const] : []),
    ...(types.includes("string") && !types.includes("null")
      ? [["type", schema.examples?.[0] ?? "x", null] as const]
      : []),
    ...(types.includes("boolean") ? [["type", true, "true"] as const] : [])
  ]
}

/** The object with a value at a path. */
const withValue = (object: unknown, [key, ...rest]: ReadonlyArray<string | number>, value: unknown): unknown => {
  if (key === undefined) return value
  if (typeof key === "number") return [withValue(Array.isArray(object) ? object[0] : undefined, rest, value)]
  const before = (object ?? {}) as Readonly<Record<string, unknown>>
  return { ...before, [key]: withValue(before[key], rest, value) }
}

const nameOf = (path: ReadonlyArray<string | number>): string =>
  path.reduce<string>((name, key) => name + (typeof key === "number" ? `[${key}]` : name === "" ? key : `.${key}`), "")

/** Each limit of each field of the JSON bodies of the operations with these tags. */
export const documentedLimits = (
  { components, paths }: LimitsDocument,
  tags: ReadonlyArray<string>
): ReadonlyArray<DocumentedLimit> => {
  const resolved = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : resolved(components.schemas[schema.$ref.split("/").at(-1)!]!)
  const fieldsOf = (
    given: JsonSchema,
    path: ReadonlyArray<string | number>
  ): ReadonlyArray<readonly [path: ReadonlyArray<string | number>, schema: JsonSchema]> => {
    const schema = resolved(given)
    return [
      [path, schema],
      ...Object.entries(schema.properties ?? {}).flatMap(([key, property]) => fieldsOf(property, [...path, key])),
      ...(schema.items === undefined
        ? []
        : fieldsOf({ examples: (schema.examples?.[0] ?? []) as [], ...schema.items }, [...path, 0]))
    ]
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, requestBody, tags: own }]) => {
      const body = requestBody?.content["application/json"]
      if (body === undefined || !own.some((tag) => tags.includes(tag))) return []
      const limits = fieldsOf(body.schema, []).flatMap(([field, schema]) =>
        edgesOf(schema).map(([limit, at, beyond]) => ({
          ...{ field: nameOf(field), limit },
          at: withValue(body.example, field, at) as object,
          beyond: withValue(body.example, field, beyond) as object
        }))
      )
      const missing = (resolved(body.schema).required ?? []).map((field) => {
        const { [field]: _, ...beyond } = body.example as Readonly<Record<string, unknown>>
        return { field, limit: "required", at: body.example, beyond }
      })
      return [...limits, ...missing].map((limit) => ({
        ...limit,
        ...{ operation: operationId, tag: own[0]!, method: method.toUpperCase(), path }
      }))
    })
  )
}
