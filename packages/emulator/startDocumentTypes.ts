import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

/** The part of JSON Schema that a start document's schema uses. */
interface JsonSchema {
  readonly type?: string
  readonly description?: string | undefined
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | false
}

/**
 * Replaces the declared types of start documents, which are derived from Effect schemas, by plain types with the
 * schemas' descriptions as JSDoc: editors show no comments of a derived type's keys. `fileOf` gives the file that
 * declares a module of fixtures.
 */
export const documentStartDocument = (fileOf: (path: string) => string) => {
  const { properties: { config = {}, ...properties } = {}, ...document } = startDocumentSchema()
  const startDocument = {
    ...document,
    properties: { config: { description: config.description, type: "config" }, ...properties }
  }
  declare(fileOf("worldConfig.d.ts"), "PartialWorldConfig", config)
  declare(fileOf("schema.d.ts"), "StartDocument", startDocument)
}

/** Read in a process of its own: tsdown loads its configuration without the condition `source`. */
const startDocumentSchema = (): JsonSchema => {
  const print = 'import("@tapedeck/fixtures").then((all) => console.log(JSON.stringify(all.startDocumentJsonSchema())))'
  const args = ["--conditions=source", "--eval", print]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" }))
}

const declare = (file: string, name: string, schema: JsonSchema) => {
  const derived = `export type ${name} = typeof ${name}.Type;`
  const declared = readFileSync(file, "utf8")
  const [from, to] = [declared.indexOf(`export declare const ${name}:`), declared.indexOf(derived)]
  if (from < 0 || to < from) throw new Error(`${file} does not declare ${name} after its schema`)
  const plain = `${comment(schema.description, "")}export interface ${name} ${typeText(schema, "")}`
  writeFileSync(file, `${imports}${declared.slice(0, from)}${plain}${declared.slice(to + derived.length)}`)
}

const imports = 'import type { Json as AnyJson, JsonObject as AnyJsonObject } from "@tapedeck/domain";\n'

const typeText = (schema: JsonSchema, indent: string): string => {
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeText(one, indent)).join(" | ")
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type
    case "integer":
    case "number":
      return "number"
    case "array":
      return `ReadonlyArray<${typeText(schema.items ?? {}, indent)}>`
    case "object":
      return objectText(schema, indent)
    case "config":
      return 'import("./worldConfig.ts").PartialWorldConfig'
    case undefined:
      return "AnyJson"
    default:
      throw new Error(`a start document's schema has a type that is not known here: ${schema.type}`)
  }
}

const objectText = ({ additionalProperties, properties, required = [] }: JsonSchema, indent: string): string => {
  if (additionalProperties) return `Readonly<Record<string, ${typeText(additionalProperties, indent)}>>`
  if (properties === undefined) return "AnyJsonObject"
  const inner = `${indent}    `
  const lines = Object.entries(properties).map(([key, schema]) => {
    const mark = required.includes(key) ? "" : "?"
    return `${comment(schema.description, inner)}${inner}readonly ${key}${mark}: ${typeText(schema, inner)};\n`
  })
  return `{\n${lines.join("")}${indent}}`
}

const comment = (description: string | undefined, indent: string): string => {
  if (description === undefined) throw new Error("a key of the start document has no description")
  return `${indent}/** ${description.replaceAll("*/", "*\\/")} */\n`
}
