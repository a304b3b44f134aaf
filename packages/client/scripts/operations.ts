/** The methods of the resources, one an operation of an OpenAPI document. */
import { comment, type JsonSchema, properties, typeOf } from "./types.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
  readonly required: boolean
  readonly schema: JsonSchema
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<unknown>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

export interface Document {
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** The class of error that a status is thrown as; the rest is `TapedeckError`. */
const errors: Readonly<Record<string, string>> = {
  "400": "BadRequestError",
  "401": "UnauthorizedError",
  "403": "ForbiddenError",
  "404": "NotFoundError",
  "409": "ConflictError",
  "422": "UnprocessableEntityError",
  "429": "TooManyRequestsError",
  "500": "InternalServerError"
}

/** What a caller of a method cannot bring about. */
const rare = new Set(["405", "414"])

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
export const pascalCase = (name: string) => name.charAt(0).toUpperCase() + camelCase(name).slice(1)

const permission = ({ responses, security }: Operation): string => {
  if (security.length === 0) return "Needs no token."
  const refusal = responses["403"]?.description ?? ""
  if (/admin/.test(refusal) && /session/.test(refusal)) return "Needs: a signed-in session of an admin."
  if (/session/.test(refusal)) return "Needs: a signed-in session."
  return /admin/.test(refusal) ? "Needs: an admin." : "Needs: any user of the account."
}

const documentation = (operation: Operation): ReadonlyArray<string> => [
  `${operation.summary}. ${operation.description}`,
  "",
  permission(operation),
  ""
]

const refusalsOf = ({ responses }: Operation): ReadonlyArray<Refusal> =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => ({ status, description, isRare: rare.has(status) }))

/** What a call answers, by the kind of its 2xx body. */
const answer = (operation: Operation, schemas: Document["components"]["schemas"]) => {
  const successes = Object.entries(operation.responses).filter(([code]) => code.startsWith("2"))
  const [status, response] = successes[0] ?? []
  const content = response?.content
  const item = undefined
  if (status === "204" || content === undefined) return { kind: "nothing", type: "void", item } as const
  if (content["application/json"] === undefined) return { kind: "file", type: "Download", item } as const
  const types = successes.flatMap(([, { content }]) => {
    const body = content?.["application/json"]
    return body === undefined ? [] : [typeOf(body.schema)]
  })
  const type = [...new Set(types)].join(" | ")
  const page = schemas[type]?.properties
  const list = Object.entries(page ?? {}).find(([name, { type }]) => type === "array" && name !== "sentences")
  if (page?.pagination === undefined || list === undefined) return { kind: "json", type, item } as const
  return { kind: "page", type, item: typeOf(list[1].items ?? {}), list: list[0] } as const
}

/** The one property of an object: v2's `{recording: {…}}` is given as what is inside. */
const wrapperOf = (schema: JsonSchema | undefined): string | undefined => {
  const [[name, inner] = [], ...others] = Object.entries(schema?.properties ?? {})
  return others.length === 0 && inner?.properties !== undefined ? name : undefined
}

/** Whether a body of this type is text. */
const isTextType = (type: string): boolean => type.startsWith("text/") || type === "application/x-ndjson"

/** A request body: its parameter, and how a caller names the type of one that is not JSON. */
const bodyOf = ({ requestBody }: Operation, schemas: Document["components"]["schemas"]) => {
  if (requestBody === undefined) return undefined
  const types = Object.keys(requestBody.content)
  const json = requestBody.content["application/json"]
  const others = types.filter((type) => type !== "application/json")
  if (json !== undefined && others.length === 0) {
    const type = typeOf(json.schema)
    const wrapper = wrapperOf(schemas[type])
    return wrapper === undefined
      ? { type, given: "body", contentTypes: [] }
      : { type: `${type}["${wrapper}"]`, given: `body: { ${wrapper}: body }`, contentTypes: [] }
  }
  const isText = others.some(isTextType)
  const raw = isText ? "string" : "FileBody"
  return { type: json === undefined ? raw : `${typeOf(json.schema)} | ${raw}`, given: "body", contentTypes: others }
}

interface Refusal {
  readonly status: string
  readonly description: string
  readonly isRare: boolean
}

/** An operation: what its method takes and gives. */
interface Method {
  /** `recordings.list` */
  readonly id: string
  readonly name: string
  readonly verb: string
  readonly path: string
  readonly documentation: ReadonlyArray<string>
  /** Parameters of the path, as the document names them. */
  readonly parameters: ReadonlyArray<string>
  readonly body: ReturnType<typeof bodyOf>
  /** The method's parameter of the query: its declaration, its value, and whether it is one value alone. */
  readonly query: { readonly parameter: string; readonly given: string; readonly isAlone: boolean } | undefined
  readonly isKeyed: boolean
  readonly isPublic: boolean
  readonly answer: ReturnType<typeof answer>
  readonly refusals: ReadonlyArray<Refusal>
  readonly declarations: string
}

const queryOf = (operationId: string, query: ReadonlyArray<Parameter>) => {
  const [group = "", name = ""] = operationId.split(".")
  const [only, ...others] = query
  if (only === undefined) return { declarations: "", query: undefined }
  if (only.required && others.length === 0) {
    const own = camelCase(only.name)
    const given = only.name === own ? `{ ${own} }` : `{ ${only.name}: ${own} }`
    return { declarations: "", query: { parameter: `${own}: ${typeOf(only.schema)}`, given, isAlone: true } }
  }
  const type = `${pascalCase(group)}${pascalCase(name)}Query`
  const required = query.filter((one) => one.required).map((one) => one.name)
  const schema = {
    required,
    properties: Object.fromEntries(query.map((one) => [one.name, { ...one.schema, description: one.description }]))
  }
  const declarations = `${comment([`Query of \`${operationId}\`.`], "")}export interface ${type} {\n${properties(schema, "")}}\n`
  const parameter = required.length === 0 ? `query?: ${type}` : `query: ${type}`
  return { declarations, query: { parameter, given: "query", isAlone: false } }
}

const methodOf = (path: string, verb: string, operation: Operation, document: Document): Method => {
  const { operationId, parameters } = operation
  const query = parameters.filter((parameter) => parameter.in === "query")
  return {
    id: operationId,
    name: operationId.slice(operationId.indexOf(".") + 1),
    verb: verb.toUpperCase(),
    path,
    documentation: documentation(operation),
    parameters: parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name),
    body: bodyOf(operation, document.components.schemas),
    ...queryOf(operationId, query),
    isKeyed: parameters.some((parameter) => parameter.name.toLowerCase() === "idempotency-key"),
    isPublic: operation.security.length === 0,
    answer: answer(operation, document.components.schemas),
    refusals: refusalsOf(operation)
  }
}

/** A method of a resource, as it is written. */
export const textOf = (method: Method): string => {
  const { answer, body, documentation, name, parameters, path, query, refusals, verb } = method
  const args = parameters.map((one) => `${camelCase(one)}: string`)
  if (body !== undefined) args.push(`body: ${body.type}`)
  if (query !== undefined) args.push(query.parameter)
  const types = body?.contentTypes ?? []
  const contentType = types.length === 0 ? "" : ` & ContentType<${types.map((one) => JSON.stringify(one)).join(" | ")}>`
  args.push(`options?: RequestOptions${contentType}`)

  const url = path.includes("{")
    ? `path\`${path.replace(/\{(\w+)\}/g, (_, one: string) => `\${${camelCase(one)}}`)}\``
    : JSON.stringify(path)
  const given = [
    ...(body === undefined ? [] : [body.given]),
    ...(query === undefined ? [] : [query.given === "query" ? "query" : `query: ${query.given}`]),
    ...(method.isKeyed ? ["isKeyed: true"] : []),
    ...(method.isPublic ? ["isPublic: true"] : [])
  ]
  const details = given.length === 0 ? "{}" : `{ ${given.join(", ")} }`
  const call = {
    nothing: () => ["Answer<void>", `this.call("${verb}", ${url}, ${details}, options)`],
    json: () => [`Answer<${answer.type}>`, `this.call("${verb}", ${url}, ${details}, options)`],
    file: () => ["Answer<Download>", `this.file(${url}, options${query === undefined ? "" : ", query"})`],
    page: () => [`Pages<${answer.type}, ${answer.item}>`, `this.pages(${url}, query, options)`]
  }[answer.kind]()
  const thrown = refusals
    .filter(({ isRare }) => !isRare)
    .map(({ description, status }) => `@throws {${errors[status] ?? "TapedeckError"}} ${status}: ${description}`)
  return `${comment([...documentation, ...thrown], "  ")}  ${name}(${args.join(", ")}): ${call[0]} {\n    return ${call[1]}\n  }\n`
}

/** Every operation of a document as a method, in the document's order. */
const methodsOf = (document: Document): ReadonlyArray<Method> =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => methodOf(path, verb, operation, document))
  )

/** The names of the schemas that requests and responses are of. */
export const bodiesOf = (document: Document): ReadonlyArray<string> => {
  const contents = Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
    .flatMap((body) => body?.content?.["application/json"] ?? [])
  return [...new Set(contents.map(({ schema }) => typeOf(schema)))].filter(
    (name) => name in document.components.schemas
  )
}

/** Query parameters and methods by resource: `folders` has all of `folders.*`. */
export const groupsOf = (document: Document): ReadonlyMap<string, ReadonlyArray<Method>> => {
  const groups = new Map<string, Array<Method>>()
  for (const method of methodsOf(document)) {
    const name = method.id.slice(0, method.id.indexOf("."))
    groups.set(name, [...(groups.get(name) ?? []), method])
  }
  return groups
}
