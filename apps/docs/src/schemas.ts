/** The part of JSON Schema that the OpenAPI documents use. */
export interface JsonSchema {
  readonly type?: string | ReadonlyArray<string>
  readonly $ref?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** The schemas of a document by name, and the address of each on the site. */
export interface SchemaContext {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly urlOf: (name: string) => string
}

/** Returns a Markdown table. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const line = (cells: ReadonlyArray<string>) => `| ${cells.map(cell).join(" | ")} |`
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n")
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n\n", "<br>").replaceAll("\n", " ")

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1)

/** Returns the type of a value as Markdown, with links to the named schemas. */
export const typeOf = (schema: JsonSchema, context: SchemaContext): string => {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return `[${name}](${context.urlOf(name)})`
  }
  const alternatives = schema.anyOf ?? schema.allOf
  if (alternatives !== undefined) return [...new Set(alternatives.map((each) => typeOf(each, context)))].join(" or ")
  const types = [schema.type ?? (schema.enum === undefined ? "any" : "string")].flat()
  return types
    .map((type) => {
      if (type === "array") return `array of ${typeOf(schema.items ?? {}, context)}`
      return type === "string" && schema.format !== undefined ? schema.format : type
    })
    .join(" or ")
}

/** Returns the limits of a value: permitted values, bounds, lengths and the default. */
const limitsOf = (schema: JsonSchema): string => {
  const range = (from = 0, to: number | undefined, unit = ""): ReadonlyArray<string> => {
    const withUnit = (value: number) => number(value) + (unit === "" ? "" : ` ${unit}${value === 1 ? "" : "s"}`)
    if (to === undefined) return from === 0 ? [] : [`At least ${withUnit(from)}.`]
    return [from === 0 ? `At most ${withUnit(to)}.` : `${number(from)} to ${withUnit(to)}.`]
  }
  const values = schema.enum?.filter((value) => value !== null).map((value) => `\`${String(value)}\``)
  return [
    ...(values === undefined || values.length === 0 ? [] : [`Values: ${values.join(", ")}.`]),
    ...range(unlessSafe(schema.minimum), unlessSafe(schema.maximum)),
    ...range(schema.minLength, schema.maxLength, "character"),
    ...range(schema.minItems, schema.maxItems, "item"),
    ...(schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`])
  ].join(" ")
}

/** Undefined for the bounds that every integer of JSON has. */
const unlessSafe = (bound: number | undefined): number | undefined =>
  Math.abs(bound ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : bound

const number = (value: number): string => value.toLocaleString("en")

/** Returns the description of a value, and its limits. */
export const describe = (schema: JsonSchema): string =>
  [schema.description ?? "", limitsOf(schema)].filter((part) => part !== "").join(" ")

const namedBy = ({ $ref }: JsonSchema, context: SchemaContext): JsonSchema | undefined =>
  $ref === undefined ? undefined : context.schemas[nameOf($ref)]

/** Returns a table of an object's fields, or a line with the type of another value. */
export const fields = (schema: JsonSchema, context: SchemaContext): string => {
  const named = namedBy(schema, context)
  const object = named ?? schema
  const rows = rowsOf(object, context, "")
  if (rows.length === 0) return [`Type: ${typeOf(schema, context)}.`, describe(object)].join(" ").trim()
  const type = named === undefined ? "" : `${typeOf(schema, context)}\n\n`
  return `${type}${table(["Field", "Type", "Description"], rows)}`
}

/** Rows of an object's fields. An object within, which has no name of its own, is shown where it is. */
const rowsOf = (schema: JsonSchema, context: SchemaContext, prefix: string): ReadonlyArray<ReadonlyArray<string>> =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    [
      `\`${prefix}${name}\`${schema.required?.includes(name) ? "" : " (optional)"}`,
      typeOf(property, context),
      describe({ ...namedBy(property, context), ...property })
    ],
    ...rowsOf(property, context, `${prefix}${name}.`),
    ...rowsOf(property.items ?? {}, context, `${prefix}${name}[].`)
  ])
