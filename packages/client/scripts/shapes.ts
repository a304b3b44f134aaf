/** The shapes of an API by name: the schemas of its document, and its queries. Each is declared once. */
import type { Document } from "./operations.ts"
import { alias, type JsonSchema, objectDeclaration, propertiesOf, typeName } from "./types.ts"

/** Names of shapes that a document repeats without one, by the property that has them first. They are not exported. */
const unnamed: Readonly<Record<string, string>> = {
  notifications: "NotificationChanges",
  previous_secrets: "PreviousSecret",
  filters: "AuditFilterInput",
  technical_details: "TechnicalDetailsInput",
  customer: "CustomerInput",
  helpdesk: "HelpdeskTicket",
  platform: "HelpdeskPlatform",
  redaction: "CaptureRedaction",
  screen: "SourceRequirement",
  sources: "CaptureSources"
}

/** Returns a key that schemas with the same types and texts share; undefined for a shape that is not worth a name. */
const keyOf = ({ enum: values, properties, required, type }: JsonSchema): string | undefined => {
  if (values !== undefined && values.length > 1) return JSON.stringify(values)
  return type === "object" && properties !== undefined ? JSON.stringify([properties, required]) : undefined
}

type Visit = (schema: JsonSchema, property: string) => JsonSchema

const mapped = <Value, To>(values: Readonly<Record<string, Value>>, map: (value: Value, name: string) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))

/** The schema with `visit` applied to each schema within it. */
const withChildren = (schema: JsonSchema, property: string, visit: Visit): JsonSchema => {
  const { additionalProperties, anyOf, items, oneOf, properties } = schema
  return {
    ...schema,
    ...(properties !== undefined && { properties: mapped(properties, visit) }),
    ...(items !== undefined && { items: visit(items, property) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map((one) => visit(one, property)) }),
    ...(oneOf !== undefined && { oneOf: oneOf.map((one) => visit(one, property)) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: visit(additionalProperties, property) })
  }
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** Each shape that occurs more than once, or has a name, by its key: the name. */
const namesOf = (schemas: Schemas, roots: ReadonlyArray<JsonSchema>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  const seen = new Set<string>()
  const visit: Visit = (schema, property) => {
    const key = keyOf(schema)
    const name = unnamed[property]
    if (key !== undefined && name !== undefined && seen.has(key) && !names.has(key)) {
      if (name in schemas) throw new Error(`${name} is a schema of the document: call ${property} otherwise`)
      names.set(key, name)
    }
    if (key !== undefined) seen.add(key)
    return withChildren(schema, property, visit)
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const key = keyOf(schema)
    // A platform in a request is one of fewer values than a platform in a response.
    if (key !== undefined && schema.enum !== undefined && name !== "Platform") names.set(key, name)
  }
  for (const root of roots) withChildren(root, "", visit)
  return names
}

/** The document, in which each shape that has a name is referred to by it, and each that is repeated has one. */
export const withNames = (document: Document): Document => {
  const { components, paths } = document
  const queries = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ parameters }) => parameters.map(({ name, schema }) => ({ name, schema })))
  )
  const roots = [
    ...Object.values(components.schemas),
    ...queries.map(({ name, schema }) => ({ properties: { [name]: schema } }))
  ]
  const names = namesOf(components.schemas, roots)
  const shapes = new Map<string, JsonSchema>()
  const visit: Visit = (schema, property) => {
    const name = names.get(keyOf(schema) ?? "")
    const within = withChildren(schema, property, visit)
    if (name === undefined) return within
    const { description, ...shape } = within
    if (!(name in components.schemas)) shapes.set(name, shape)
    return { $ref: `#/components/schemas/${name}`, ...(description !== undefined && { description }) }
  }
  const schemas = mapped(components.schemas, (schema, name) => withChildren(schema, name, visit))
  return {
    ...document,
    paths: mapped(paths, (operations) =>
      mapped(operations, (operation) => ({
        ...operation,
        parameters: operation.parameters.map((one) => ({ ...one, schema: visit(one.schema, one.name) }))
      }))
    ),
    components: { schemas: { ...schemas, ...Object.fromEntries(shapes) } }
  }
}

const isExported = (name: string) => !Object.values(unnamed).includes(name)

const refsIn = (schema: JsonSchema): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit: Visit = (one) => {
    if (one.$ref !== undefined) found.push(one.$ref.slice(one.$ref.lastIndexOf("/") + 1))
    return withChildren(one, "", visit)
  }
  visit(schema, "")
  return found
}

/** The document with the schemas that operations use. The payloads of webhooks are types of `@tapedeck/signing`. */
export const withoutWebhooks = (document: Document): Document => {
  const { components, paths } = document
  const used = new Set<string>()
  const use = (schema: JsonSchema): void => {
    for (const name of refsIn(schema)) {
      const shape = components.schemas[name]
      if (shape === undefined || used.has(name)) continue
      used.add(name)
      use(shape)
    }
  }
  for (const { parameters, requestBody, responses } of Object.values(paths).flatMap((one) => Object.values(one))) {
    for (const { schema } of parameters) use(schema)
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
      for (const { schema } of Object.values(content)) use(schema)
    }
  }
  const schemas = Object.fromEntries(Object.entries(components.schemas).filter(([name]) => used.has(name)))
  return { ...document, components: { schemas } }
}

/** The names whose shapes are the same in both, with all that they refer to. */
export const commonOf = (shapes: Schemas, others: Schemas): ReadonlySet<string> => {
  const isSame = (name: string): boolean => {
    const [one, other] = [shapes[name], others[name]]
    return one !== undefined && JSON.stringify(one) === JSON.stringify(other) && refsIn(one).every(isSame)
  }
  return new Set(Object.keys(shapes).filter((name) => isExported(name) && isSame(name)))
}

/** An interface with fewer properties in common is no parent. */
const minShared = 3

/** An interface of which a child lacks, or changes, more properties is no parent. */
const maxOmitted = 2

/** The same properties, each of which may be absent. */
const optional = (lines: ReadonlyArray<string>) =>
  lines.map((line) => line.replace(/^( {2}readonly [^\s:?]+):/m, "$1?:"))

const keyIn = (line: string) => JSON.stringify(/^ {2}readonly "?([^\s:?"]+)/m.exec(line)?.[1])

interface Parent {
  readonly of: Interface
  readonly text: string
  /** The properties that its child has of it. */
  readonly lines: ReadonlyArray<string>
}

interface Interface {
  readonly name: string
  readonly lines: ReadonlyArray<string>
}

/** How an interface may extend another one: as it is, with all properties optional, or without a few of them. */
const parentsOf = (child: Interface, one: Interface, isBefore: boolean): ReadonlyArray<Parent> => {
  const isShared = (line: string) => child.lines.includes(line)
  const name = typeName(one.name)
  const partial = optional(one.lines)
  const shared = one.lines.filter(isShared)
  const omitted = one.lines.filter((line) => !isShared(line))
  // Of two that are the same, the second is an alias of the first.
  const isSame = shared.length === child.lines.length
  if (omitted.length === 0) return isBefore || !isSame ? [{ of: one, text: name, lines: shared }] : []
  if (partial.every(isShared)) return [{ of: one, text: `Partial<${name}>`, lines: partial }]
  if (!isBefore || isSame || omitted.length > maxOmitted) return []
  return [{ of: one, text: `Omit<${name}, ${omitted.map(keyIn).join(" | ")}>`, lines: shared }]
}

/** The declarations of the shapes: an interface with the properties of another one extends it. */
export const declarationsOf = (shapes: Schemas, imported: ReadonlySet<string>): ReadonlyArray<string> => {
  const interfaces = Object.entries(shapes).flatMap(([name, schema]) =>
    schema.type === "object" && schema.properties !== undefined ? [{ name, lines: propertiesOf(schema, "") }] : []
  )
  const parents = new Map<Interface, Parent>()
  const extendsIt = (one: Interface, child: Interface): boolean =>
    one === child || (parents.has(one) && extendsIt(parents.get(one)!.of, child))
  for (const [position, child] of interfaces.entries()) {
    const parent = interfaces
      .flatMap((one, index) => (extendsIt(one, child) ? [] : parentsOf(child, one, index < position)))
      .filter(({ lines }) => lines.length >= minShared || lines.length === child.lines.length)
      .sort((one, other) => other.lines.length - one.lines.length)[0]
    if (parent !== undefined) parents.set(child, parent)
  }
  return Object.entries(shapes).flatMap(([name, schema]) => {
    if (imported.has(name)) return []
    const own = interfaces.find((one) => one.name === name)
    const text = own === undefined ? alias(name, schema) : objectDeclaration(name, schema, own.lines, parents.get(own))
    return [isExported(name) ? text : text.replace(/^export /m, "")]
  })
}

export const exportedNames = (names: Iterable<string>): ReadonlyArray<string> => [...names].map(typeName).sort()
