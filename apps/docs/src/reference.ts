import { describe, fields, type JsonSchema, type SchemaContext, table, typeOf } from "./schemas.ts"

/** The parts of an OpenAPI 3.1 document that its pages show. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description?: string }
  readonly servers?: ReadonlyArray<{ readonly url: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Operations
  readonly webhooks?: Operations
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes?: Readonly<Record<string, { readonly description?: string }>>
  }
}

type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly security?: ReadonlyArray<unknown>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly required: boolean
    readonly schema: JsonSchema
  }>
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

interface Response {
  readonly description: string
  readonly content?: Content
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>

/** A page of the reference. Its links are absolute paths of the site, without the base. */
export interface ReferencePage {
  readonly path: string
  readonly title: string
  readonly label: string
  readonly description: string
  readonly markdown: string
}

/** An API of the reference. `path` is the path of its overview, and the parent of its pages. */
export interface Api {
  readonly title: string
  readonly path: string
  readonly pages: ReadonlyArray<ReferencePage>
}

/** Returns the pages of an OpenAPI document: an overview, a page for each group of operations, and its schemas. */
export const referenceOf = (title: string, path: string, document: OpenApiDocument): Api => {
  const context: SchemaContext = {
    schemas: document.components.schemas,
    urlOf: (name) => `/${path}/schemas/#${name.toLowerCase()}`
  }
  const groups = document.tags.map(({ name, description }) => {
    const operations = operationsOf(document).filter(({ operation }) => operation.tags.includes(name))
    return { name, description: description ?? "", operations, path: `${path}/${pathSegment(name)}` }
  })
  const filled = groups.filter(({ operations }) => operations.length > 0)
  return {
    title,
    path,
    pages: [
      overview(title, path, document, filled),
      ...filled.map((group) => ({
        path: group.path,
        title: `${titleOf(group.name)} (${title})`,
        label: titleOf(group.name),
        description: describes(group.description, `${title}: operations of the group ${group.name}.`),
        markdown: [
          group.description,
          ...group.operations.map((listed) => operationSection(listed, context, document))
        ].join("\n\n")
      })),
      ...(Object.keys(context.schemas).length === 0 ? [] : [schemasPage(title, path, context)])
    ]
  }
}

const pathSegment = (name: string): string => name.toLowerCase().replaceAll(" ", "-")

/** `auditEntries` and `audit entries` become `Audit entries`. */
const titleOf = (name: string): string => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

const describes = (description: string, otherwise: string): string => (description === "" ? otherwise : description)

interface ListedOperation {
  readonly method: string
  /** Address of the requests: a path from the host, or undefined for a webhook, which goes to the URL of its receiver. */
  readonly address: string | undefined
  readonly operation: Operation
}

/** The path below which an API is served; empty for the root of its host. */
const basePathOf = ({ servers }: OpenApiDocument): string => servers?.[0]?.url.replace(/\/$/, "") ?? ""

const operationsOf = (document: OpenApiDocument): ReadonlyArray<ListedOperation> => {
  const { paths, webhooks = {} } = document
  const base = basePathOf(document)
  const listed = (operations: Operations, addressOf: (path: string) => string | undefined) =>
    Object.entries(operations).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        address: addressOf(path),
        operation
      }))
    )
  return [...listed(paths, (path) => base + path), ...listed(webhooks, () => undefined)]
}

interface OperationGroup {
  readonly name: string
  readonly description: string
  readonly path: string
  readonly operations: ReadonlyArray<ListedOperation>
}

const overview = (
  title: string,
  path: string,
  document: OpenApiDocument,
  groups: ReadonlyArray<OperationGroup>
): ReferencePage => {
  const { components, info } = document
  const authentication = Object.values(components.securitySchemes ?? {}).map(({ description = "" }) => description)
  const rows = groups.map(({ description, name, operations, path }) => [
    `[${titleOf(name)}](/${path}/)`,
    description,
    String(operations.length)
  ])
  const base = basePathOf(document)
  return {
    path,
    title,
    label: "Overview",
    description: `${title}: base path, authentication, errors, and the groups of its operations.`,
    markdown: [
      ...(base === "" ? [] : [`Base path: \`${base}\`.`]),
      info.description ?? "",
      ...(authentication.length === 0 ? [] : ["## Authentication", ...authentication]),
      "## Operations",
      table(["Group", "Description", "Operations"], rows)
    ].join("\n\n")
  }
}

const operationSection = (
  { address, method, operation }: ListedOperation,
  context: SchemaContext,
  document: OpenApiDocument
): string => {
  const { description = "", parameters, requestBody, responses, security, summary } = operation
  const isOpen = security?.length === 0 && Object.keys(document.components.securitySchemes ?? {}).length > 0
  return [
    `## ${summary}`,
    address === undefined ? `\`${method}\` to the URL of the receiver.` : `\`\`\`http\n${method} ${address}\n\`\`\``,
    description,
    ...(isOpen && address !== undefined ? ["No token is required."] : []),
    ...(parameters.length === 0
      ? []
      : [
          "**Parameters**",
          table(
            ["Name", "In", "Type", "Description"],
            parameters.map(({ description = "", in: place, name, required, schema }) => [
              `\`${name}\`${required ? "" : " (optional)"}`,
              place,
              typeOf(schema, context),
              describe(description === "" ? schema : { ...schema, description })
            ])
          )
        ]),
    ...(requestBody === undefined
      ? []
      : [`**Body**${requestBody.required === false ? " (optional)" : ""}`, ...content(requestBody.content, context)]),
    "**Responses**",
    responsesTable(responses),
    ...success(responses, context)
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

const isSuccess = (status: string): boolean => status.startsWith("2")

const responsesTable = (responses: Operation["responses"]): string =>
  table(
    ["Status", "Meaning"],
    Object.entries(responses).map(([status, { description }]) => [`\`${status}\``, description])
  )

/** The body of the first successful response. */
const success = (responses: Operation["responses"], context: SchemaContext): ReadonlyArray<string> => {
  const [status, response] = Object.entries(responses).find(([code]) => isSuccess(code)) ?? []
  if (response?.content === undefined) return []
  return [`**Body of ${status}**`, ...content(response.content, context)]
}

const content = (bodies: Content, context: SchemaContext): ReadonlyArray<string> =>
  Object.entries(bodies).flatMap(([mediaType, { example, schema }]) => {
    if (mediaType !== "application/json") return [`\`${mediaType}\``]
    return [fields(schema, context), ...(example === undefined ? [] : [json(example)])]
  })

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const schemasPage = (title: string, path: string, context: SchemaContext): ReferencePage => ({
  path: `${path}/schemas`,
  title: `Schemas (${title})`,
  label: "Schemas",
  description: `${title}: the types of its requests and responses.`,
  markdown: Object.entries(context.schemas)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) =>
      [`## ${name}`, schema.description ?? "", fields({ ...schema, description: "" }, context)]
        .filter((part) => part !== "")
        .join("\n\n")
    )
    .join("\n\n")
})
