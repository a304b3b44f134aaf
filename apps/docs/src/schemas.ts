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
  const range = (from: number | undefined, to: number | undefined, unit: string): ReadonlyArray<string> => {
    const isLow = from === undefined || from === 0
    if (to === undefined) return isLow ? [] : [`At least ${number(from)}${unit}.`]
    return [isLow ? `At most ${number(to)}${unit}.` : `${number(from)} to ${number(to)}${unit}.`]
  }
  const values = schema.enum?.filter((value) => value !== null).map((value) => `\`${String(value)}\``)
  return [
    ...(values === undefined || values.length === 0 ? [] : [`Values: ${values.join(", ")}.`]),
    ...range(schema.minimum, schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum, ""),
    ...range(schema.minLength, schema.maxLength, " characters"),
    ...range(schema.minItems, schema.maxItems, " items"),
    ...(schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`])
  ].join(" ")
}

const number = (value: number): string => value.toLocaleString("en")

const describe = (schema: JsonSchema): string =>
  [schema.description ?? "", limitsOf(schema)].filter((part) => part !== "").join(" ")

/** Returns a table of an object's fields, or a line with the type of another value. */
export const fields = (schema: JsonSchema, context: SchemaContext): string => {
  const named = schema.$ref === undefined ? undefined : context.schemas[nameOf(schema.$ref)]
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
      describe(property)
    ],
    ...rowsOf(property, context, `${prefix}${name}.`),
    ...rowsOf(property.items ?? {}, context, `${prefix}${name}[].`)
  ])
