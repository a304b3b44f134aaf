import type { JsonSchema } from "../openapi/schemas.ts"
import { escape, prose } from "./html.ts"

/** Renders the type of a schema, with links to the schemas of the page. */
export const typeOf = (schema: JsonSchema, prefix: string): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice("#/components/schemas/".length)
    return `<a href="#${prefix}-${escape(name)}">${escape(name)}</a>`
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, prefix)).join(" or ")
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type ?? "any"]).map((type) => {
    if (type === "array") return `array of ${typeOf(schema.items ?? {}, prefix)}`
    if (type === "string" && schema.format !== undefined) return escape(schema.format)
    return type
  })
  return types.join(" or ")
}

/** Renders the limits of a value: bounds, default, lengths, permitted values. */
const limits = (schema: JsonSchema): string => {
  const found = [
    ["from", schema.minimum],
    ["to", schema.maximum],
    ["default", schema.default],
    ["at least", schema.minLength && `${schema.minLength} character`],
    ["at most", schema.maxLength && `${schema.maxLength.toLocaleString("en")} characters`]
  ].flatMap(([label, value]) => (value === undefined || value === Number.MAX_SAFE_INTEGER ? [] : [`${label} ${value}`]))
  const values =
    schema.enum === undefined ? "" : schema.enum.map((one) => `<code>${escape(String(one))}</code>`).join(" ")
  return [...found.map(escape), values].filter((one) => one !== "").join(", ")
}

interface Row {
  readonly name: string
  readonly note?: string
  readonly description?: string
  readonly schema: JsonSchema
}

/** Renders a table of parameters, properties or headers. */
export const table = (rows: ReadonlyArray<Row>, prefix: string): string =>
  `<div class="wide"><table><tbody>${rows
    .map(({ name, note, description, schema }) => {
      const more = limits(schema)
      const words = description ?? schema.description ?? ""
      return `<tr><th scope="row"><code>${escape(name)}</code>${note ? ` <small>${escape(note)}</small>` : ""}</th>
<td class="type">${typeOf(schema, prefix)}</td><td>${prose(words)}${more && ` <small>${more}</small>`}</td></tr>`
    })
    .join("")}</tbody></table></div>`

/** Renders the properties of an object, and marks optional ones. */
export const properties = (schema: JsonSchema, prefix: string): string =>
  table(
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      { name, schema: property, ...(schema.required?.includes(name) ? {} : { note: "optional" }) },
      // An object within, which has no name of its own, is shown where it is.
      ...Object.entries(property.properties ?? {}).map(([inner, schema]) => ({ name: `${name}.${inner}`, schema }))
    ]),
    prefix
  )
