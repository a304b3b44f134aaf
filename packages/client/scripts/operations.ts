/** The methods of the resources, one an operation of an OpenAPI document. */
import { comment, type JsonSchema, typeOf } from "./types.ts"

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

/** Refusals that a caller of a method cannot cause. */
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

/** The refusal of a JSON body's type, which a client sends right, and that of who lacks what the operation needs. */
const isImplied = (status: string, { requestBody, security }: Operation): boolean => {
  const types = Object.keys(requestBody?.content ?? {})
  return (
    (status === "415" && types.every((type) => type === "application/json")) ||
    (status === "403" && security.length > 0)
  )
}

interface Refusal {
  readonly status: string
  readonly description: string
}

const allRefusalsOf = (operation: Operation): ReadonlyArray<Refusal> =>
  Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400 && !rare.has(status) && !isImplied(status, operation))
    .map(([status, { description }]) => ({ status, description }))

/** How an error is documented: the class that it is thrown as, its status and its cause. */
const refusalText = ({ description, status }: Refusal) =>
  `{${errors[status] ?? "TapedeckError"}} ${status}: ${description}`

const operationsOf = ({ paths }: Document) => Object.values(paths).flatMap((operations) => Object.values(operations))

/** The text without the parts that are in it. */
const without = (text: string, parts: ReadonlyArray<string>) =>
  parts
    .reduce((rest, part) => rest.replace(part, ""), text)
    .replace(/ {2,}/g, " ")
    .trim()

/** The part of an API's operations, of 1, of which two at least have a refusal that is documented for the whole API. */
const sharedShare = 0.1

/** The refusals that many operations have in common. What is not found is of the operation itself. */
const sharedRefusalsOf = (document: Document): ReadonlyArray<Refusal> => {
  const all = operationsOf(document).map(allRefusalsOf)
  const statuses = [...new Set(all.flat().map(({ status }) => status))].filter((status) => status !== "404").sort()
  return statuses.flatMap((status) => {
    const texts = all.flat().flatMap((one) => (one.status === status ? [one.description] : []))
    // One response has the texts of all its errors, one after another.
    const parts: Array<string> = []
    for (const text of [...new Set(texts)].sort((one, other) => one.length - other.length)) {
      const part = without(text, parts)
      if (part !== "") parts.push(part)
    }
    return parts
      .filter((part) => {
        const count = texts.filter((text) => text.includes(part)).length
        return count >= 2 && count >= sharedShare * all.length
      })
      .map((description) => ({ status, description }))
  })
}

/** Documentation of the refusals of a whole API. */
export const sharedDocumentation = (document: Document): ReadonlyArray<string> => {
  const needs = {
    status: "403",
    description: "The caller lacks what the operation needs, or the account has no API access."
  }
  const refusals = [...sharedRefusalsOf(document), needs].sort(
    (one, other) => Number(one.status) - Number(other.status)
  )
  return [
    "Where they apply, operations have these refusals besides their own:",
    "",
    ...refusals.map((one) => `@throws ${refusalText(one)}`)
  ]
}

/** The refusals that only the operation has, or few others. */
const refusalsOf = (operation: Operation, shared: ReadonlyArray<Refusal>): ReadonlyArray<Refusal> =>
  allRefusalsOf(operation)
    .map(({ description, status }) => {
      const parts = shared.flatMap((one) => (one.status === status ? [one.description] : []))
      return { status, description: without(description, parts) }
    })
    .filter(({ description }) => description !== "")

/** The schemas of a success, of which the query decides. */
const formsOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> => schema.anyOf ?? [schema]

/** Returns the result type of a call, by the kind of its 2xx body. */
const answer = (operation: Operation, schemas: Document["components"]["schemas"]) => {
  const successes = Object.entries(operation.responses).filter(([code]) => code.startsWith("2"))
  const [status, response] = successes[0] ?? []
  const content = response?.content
  const item = undefined
  if (status === "204" || content === undefined) return { kind: "nothing", type: "void", item } as const
  if (content["application/json"] === undefined) return { kind: "file", type: "Download", item } as const
  const types = successes.flatMap(([, { content }]) => {
    const body = content?.["application/json"]
    // Of several forms, a method returns the first: `Tapedeck.recordingChanges` returns the other of a list.
    return body === undefined
      ? []
      : formsOf(body.schema)
          .slice(0, 1)
          .map((schema) => typeOf(schema))
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

/** An operation: what its method takes and gives. */
interface Method {
  /** `recordings.list` */
  readonly id: string
  readonly name: string
  readonly verb: string
  readonly path: string
  readonly documentation: string
  /** Parameters of the path, as the document names them. */
  readonly parameters: ReadonlyArray<string>
  readonly body: ReturnType<typeof bodyOf>
  /** The method's parameter of the query: its declaration, its value, and whether it is one value alone. */
  readonly query: { readonly parameter: string; readonly given: string; readonly isAlone: boolean } | undefined
  readonly isKeyed: boolean
  readonly isPublic: boolean
  readonly answer: ReturnType<typeof answer>
  readonly refusals: ReadonlyArray<Refusal>
  /** The shape of the query, by its name. */
  readonly shapes: Readonly<Record<string, JsonSchema>>
}

/** Parameter that gives a list another form, which its method does not return. */
const changesParameter = "updated_since"

const queryOf = (operationId: string, query: ReadonlyArray<Parameter>) => {
  const [group = "", name = ""] = operationId.split(".")
  const [only, ...others] = query
  if (only === undefined) return { shapes: {}, query: undefined }
  if (only.required && others.length === 0) {
    const own = camelCase(only.name)
    const given = only.name === own ? `{ ${own} }` : `{ ${only.name}: ${own} }`
    return { shapes: {}, query: { parameter: `${own}: ${typeOf(only.schema)}`, given, isAlone: true } }
  }
  const type = `${pascalCase(group)}${pascalCase(name)}Query`
  const required = query.filter((one) => one.required).map((one) => one.name)
  const schema: JsonSchema = {
    type: "object",
    description: `Query of \`${operationId}\`.`,
    required,
    properties: Object.fromEntries(query.map((one) => [one.name, { ...one.schema, description: one.description }]))
  }
  const parameter = required.length === 0 ? `query?: ${type}` : `query: ${type}`
  return { shapes: { [type]: schema }, query: { parameter, given: "query", isAlone: false } }
}

const methodOf = (
  path: string,
  verb: string,
  operation: Operation,
  document: Document,
  shared: ReadonlyArray<Refusal>
): Method => {
  const { operationId, parameters } = operation
  const query = parameters.filter(({ in: place, name }) => place === "query" && name !== changesParameter)
  return {
    id: operationId,
    name: operationId.slice(operationId.indexOf(".") + 1),
    verb: verb.toUpperCase(),
    path,
    documentation: `${operation.summary}. ${operation.description} ${permission(operation)}`,
    parameters: parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name),
    body: bodyOf(operation, document.components.schemas),
    ...queryOf(operationId, query),
    isKeyed: parameters.some((parameter) => parameter.name.toLowerCase() === "idempotency-key"),
    isPublic: operation.security.length === 0,
    answer: answer(operation, document.components.schemas),
    refusals: refusalsOf(operation, shared)
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
  const thrown = refusals.map((one) => `@throws ${refusalText(one)}`)
  const lines = thrown.length === 0 ? [documentation] : [documentation, "", ...thrown]
  return `${comment(lines, "  ")}  ${name}(${args.join(", ")}): ${call[0]} {\n    return ${call[1]}\n  }\n`
}

/** Every operation of a document as a method, in the document's order. */
const methodsOf = (document: Document): ReadonlyArray<Method> => {
  const shared = sharedRefusalsOf(document)
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => methodOf(path, verb, operation, document, shared))
  )
}

/** The names of the schemas that requests and responses are of. */
export const bodiesOf = (document: Document): ReadonlyArray<string> => {
  const contents = operationsOf(document)
    .flatMap(({ requestBody, responses }) => [
      requestBody,
      ...Object.entries(responses).map(([status, response]) => ({ ...response, isSuccess: status.startsWith("2") }))
    ])
    .flatMap((body) => {
      const schema = body?.content?.["application/json"]?.schema
      if (schema === undefined) return []
      return body !== undefined && "isSuccess" in body && body.isSuccess ? formsOf(schema) : [schema]
    })
  return [...new Set(contents.map((schema) => typeOf(schema)))].filter((name) => name in document.components.schemas)
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
