/** TypeScript declarations from JSON Schemas. */

/** A JSON Schema, as far as the documents use it. */
export interface JsonSchema {
  readonly type?: string | ReadonlyArray<string>
  readonly $ref?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxLength?: number
}

/** A documentation comment, indented; nothing where there is nothing to say. */
export const comment = (lines: ReadonlyArray<string>, indent: string): string => {
  const safe = lines.flatMap((line) => line.split("\n")).map((line) => line.replaceAll("*/", "*\\/"))
  if (safe.length === 0) return ""
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`
  return `${indent}/**\n${safe.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}`).join("\n")}\n${indent} */\n`
}

const bounds = ({ format, maxItems, maxLength, maximum, minItems, minLength, minimum }: JsonSchema): string =>
  Object.entries({ format, minimum, maximum, minLength, maxLength, minItems, maxItems })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ")

/** Returns the doc comment of a property: its description and its limits. */
const describe = (schema: JsonSchema): ReadonlyArray<string> => {
  const limits = bounds(schema)
  const text = schema.description ?? ""
  if (limits === "") return text === "" ? [] : [text]
  return [text === "" ? `(${limits})` : `${text} (${limits})`]
}

const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const primitives: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null"
}

const named = (type: string, schema: JsonSchema, indent: string): string => {
  if (type === "array") return `ReadonlyArray<${typeOf(schema.items ?? {}, indent)}>`
  if (type === "object") return objectType(schema, indent)
  return primitives[type] ?? "unknown"
}

/** `Error` is JavaScript's own. */
export const typeName = (schema: string) => (schema === "Error" ? "ErrorBody" : schema)

/** Another version of the service may know further values. One value alone tells kinds of objects apart. */
const enumeration = (values: ReadonlyArray<unknown>): string => {
  const isOpen = values.filter((value) => typeof value === "string").length > 1
  return [...values.map((value) => JSON.stringify(value)), ...(isOpen ? ["(string & {})"] : [])].join(" | ")
}

/** The type of a schema; `indent` is that of the line where it starts. */
export const typeOf = (schema: JsonSchema, indent = ""): string => {
  if (schema.$ref?.endsWith("/JsonValue")) return "Json"
  if (schema.$ref !== undefined) return typeName(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return enumeration(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map((choice) => typeOf(choice, indent)).join(" | ")
  // A schema that allows everything: free JSON.
  if (schema.type === undefined) return "Json"
  const types = typeof schema.type === "string" ? [schema.type] : schema.type
  return types.map((type) => named(type, schema, indent)).join(" | ")
}

/** The properties of an object, each with its comment. */
export const propertiesOf = (schema: JsonSchema, indent: string): ReadonlyArray<string> =>
  Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const optional = schema.required?.includes(name) ? "" : "?"
    return `${comment(describe(property), `${indent}  `)}${indent}  readonly ${key(name)}${optional}: ${typeOf(property, `${indent}  `)}\n`
  })

const objectType = (schema: JsonSchema, indent: string): string => {
  if (schema.properties !== undefined) return `{\n${propertiesOf(schema, indent).join("")}${indent}}`
  const values = schema.additionalProperties
  return `{ readonly [key: string]: ${typeof values === "object" ? typeOf(values, indent) : "unknown"} }`
}

const commentOf = ({ description }: JsonSchema) => comment(description === undefined ? [] : [description], "")

/** The exported declaration of a schema that is no object with properties. `platform` has the service's own word too (N2). */
export const alias = (name: string, schema: JsonSchema): string =>
  `${commentOf(schema)}export type ${typeName(name)} = ${name === "Platform" ? "string" : typeOf(schema)}\n`

interface Parent {
  readonly text: string
  readonly lines: ReadonlyArray<string>
}

/** The exported declaration of an object with these properties, of which `parent` has some or all. */
export const objectDeclaration = (
  name: string,
  schema: JsonSchema,
  lines: ReadonlyArray<string>,
  parent: Parent | undefined
): string => {
  const text = commentOf(schema)
  if (parent?.lines.length === lines.length) return `${text}export type ${typeName(name)} = ${parent.text}\n`
  const own = lines.filter((line) => !parent?.lines.includes(line))
  const extended = parent === undefined ? "" : ` extends ${parent.text}`
  return `${text}export interface ${typeName(name)}${extended} {\n${own.join("")}}\n`
}
