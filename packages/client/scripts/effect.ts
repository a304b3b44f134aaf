/** The operations as Effects: an interface a group, and what makes it over an `HttpApiClient`. */
import { settings, v1, v2 } from "@tapedeck/contract"
import { Context } from "effect"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { camelCase, type Document, groupsOf, isTextType, type Method, pascalCase } from "./operations.ts"
import { comment } from "./types.ts"

/** The contract's class of a refusal. */
const errors: Readonly<Record<string, string>> = {
  "400": "BadRequest",
  "401": "Unauthenticated",
  "403": "Forbidden",
  "404": "NotFound",
  "405": "MethodNotAllowed",
  "409": "Conflict",
  "413": "PayloadTooLarge",
  "414": "UriTooLong",
  "415": "UnsupportedMediaType",
  "412": "PreconditionFailed",
  "416": "RangeNotSatisfiable",
  "422": "Unprocessable",
  "429": "TooManyRequests",
  "500": "Internal",
  "503": "ServiceUnavailable",
  "507": "InsufficientStorage"
}

interface Endpoint {
  readonly group: string
  readonly name: string
}

/** Where the contract has each operation. */
const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyMap<string, Endpoint> => {
  const endpoints = new Map<string, Endpoint>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const id = Context.getOrUndefined(mergedAnnotations, OpenApi.Identifier)
      if (id !== undefined) endpoints.set(id, { group: group.identifier, name: endpoint.identifier })
    }
  })
  return endpoints
}

export const endpointsByOperation: Readonly<Record<string, ReadonlyMap<string, Endpoint>>> = {
  v2: endpointsOf(v2.Api),
  v1: endpointsOf(v1.Api),
  settings: endpointsOf(settings.Api)
}

const failuresOf = ({ refusals }: Method) =>
  [...new Set([...refusals.map(({ status }) => errors[status]!), "CallError"])].join(" | ")

const isRaw = ({ body }: Method) => (body?.contentTypes ?? []).length > 0

/** The type of a body: where the other client takes a file, this one takes bytes. */
const bodyType = ({ body }: Method) => body?.type.replace("FileBody", "RawBytes") ?? ""

const optionsOf = (method: Method): ReadonlyArray<string> => {
  if (method.isKeyed) return ["options?: KeyedOptions"]
  if (!isRaw(method)) return []
  return [`options?: RawOptions<${method.body!.contentTypes.map((one) => JSON.stringify(one)).join(" | ")}>`]
}

const parametersOf = (method: Method): ReadonlyArray<string> => [
  ...method.parameters.map((one) => `${camelCase(one)}: string`),
  ...(method.body === undefined ? [] : [`body: ${bodyType(method)}`]),
  ...(method.query === undefined ? [] : [method.query.parameter]),
  ...optionsOf(method)
]

const documentationOf = ({ documentation, refusals }: Method): ReadonlyArray<string> => [
  ...documentation,
  ...refusals
    .filter(({ isRare }) => !isRare)
    .map(({ description, status }) => `- \`${errors[status]}\` (${status}): ${description}`)
]

/** The declarations of a method: a list has a second one, for a page of it. */
const signaturesOf = (method: Method): string => {
  const { answer, name } = method
  const failures = failuresOf(method)
  const given = parametersOf(method).join(", ")
  const documented = comment(documentationOf(method), "  ")
  const result = {
    nothing: `Effect.Effect<void, ${failures}>`,
    json: `Effect.Effect<${answer.type}, ${failures}>`,
    file: `Effect.Effect<Download<${failures}>, ${failures}>`,
    page: `Stream.Stream<${answer.item}, ${failures}>`
  }[answer.kind]
  const first = `${documented}  ${name}(${given}): ${result}\n`
  if (answer.kind !== "page") return first
  return `${first}\n  /** One page of \`${name}\`. */\n  ${name}Page(${given}): Effect.Effect<${answer.type}, ${failures}>\n`
}

/** What a method does. Bodies and queries are of the client's types, in which enumerations are open. */
const implementationOf = (method: Method, api: string): string => {
  const { answer, body, name, parameters, query } = method
  const { group, name: endpoint } = endpointsByOperation[api]!.get(method.id)!
  const call = (parts: ReadonlyArray<string>) =>
    `client.${group}.${endpoint}(${parts.length === 0 ? "" : `{ ${parts.join(", ")} }`})`
  const path = parameters.map((one) => (one === camelCase(one) ? one : `${one}: ${camelCase(one)}`))
  const params = path.length === 0 ? [] : [`params: { ${path.join(", ")} }`]
  const names = [
    ...parameters.map(camelCase),
    ...(body === undefined ? [] : ["body"]),
    ...(query === undefined ? [] : [query.isAlone ? query.parameter.split(":")[0]! : "query"]),
    ...(optionsOf(method).length === 0 ? [] : ["options"])
  ]
  const head = `(${names.join(", ")}) =>`
  if (answer.kind === "file") {
    const headers = method.hasRange ? ["headers"] : []
    const queried = query === undefined ? [] : ["query: { ...query } as never"]
    const ask = call([...params, ...queried, ...headers, 'responseMode: "response-only"'])
    const decode = `HttpApiClient.decodeResponse(${api}.Api, { group: "${group}", endpoint: "${endpoint}" })`
    return `${name}: ${head} file(timeoutMs, (${headers.join("")}) => ${ask}, ${decode})`
  }
  if (answer.kind === "page") {
    const load = call([...params, "query: { ...query, ...page } as never"])
    const one = call([...params, "query: { ...query } as never"])
    return `${name}: ${head} paged(query, "${answer.list}", (page) => ${load}),\n${name}Page: ${head} ${one}`
  }
  const asked = query === undefined ? [] : [`query: ${query.isAlone ? query.given : "{ ...query } as never"}`]
  if (isRaw(method)) {
    const text = body!.contentTypes.find(isTextType)
    const isText = text !== undefined
    const type = `options?.contentType ?? "${isText && !body!.contentTypes.includes("text/plain") ? text : isText ? "text/plain" : "application/octet-stream"}"`
    const sent = call([...params, `payload: ${isText ? "body" : "Stream.empty"}`, ...asked])
    const call_ = `raw(body, ${type}, ${sent})`
    return `${name}: ${head} ${body!.type.includes(" | ") ? `typeof body === "string" ? ${call_} : ${sent}` : call_}`
  }
  const payload =
    body === undefined
      ? []
      : [`${body.given.replace(/^body: /, "payload: ").replace(/^body$/, "payload: body")} as never`]
  const parts = [...params, ...payload, ...asked]
  if (!method.isKeyed) return `${name}: ${head} ${call(parts)}`
  return `${name}: ${head} keyed(options, (headers) => ${call([...parts, "headers"])})`
}

const interfaceName = (group: string) => `${pascalCase(group)}Operations`

const isUsed = (name: string, text: string) => new RegExp(`\\b${name}\\b`).test(text.replace(/\/\*\*[\s\S]*?\*\//g, ""))

/** The file of an API. `types` is the text that declares the shapes on the wire. */
export const effectSource = (name: string, document: Document, types: string): string => {
  const groups = [...groupsOf(document)]
  const interfaces = groups.map(
    ([group, methods]) => `export interface ${interfaceName(group)} {\n${methods.map(signaturesOf).join("\n")}}\n`
  )
  const root = `${pascalCase(name)}Operations`
  const fields = groups.map(([group]) => `  readonly ${group}: ${interfaceName(group)}\n`).join("")
  const made = groups
    .map(([group, methods]) => `${group}: {\n${methods.map((one) => implementationOf(one, name)).join(",\n")}\n}`)
    .join(",\n")
  const client = `HttpApiClient.ForApi<typeof ${name}.Api, Exclude<SendError, HttpClientError.HttpClientError>>`
  const make = `export const make = (client: ${client}${isUsed("timeoutMs", made) ? ", timeoutMs: number" : ""}): ${root} => ({\n${made}\n})\n`
  const text = `${interfaces.join("\n")}\nexport interface ${root} {\n${fields}}\n\n${make}`
  const shapes = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)]
    .map(([, one]) => one!)
    .filter((one) => isUsed(one, text))
  const refusals = Object.values(errors).filter((one) => isUsed(one, text))
  const values = ["file", "keyed", "paged", "raw"].filter((one) => isUsed(one, made))
  const helperTypes = ["Download", "KeyedOptions", "RawBytes", "RawOptions"].filter((one) => isUsed(one, text))
  const helpers = [...helperTypes.map((one) => `type ${one}`), ...values]
  const decodes = isUsed("decodeResponse", made)
  return [
    `import type { ${refusals.join(", ")} } from "@tapedeck/contract"\n`,
    `import ${decodes ? "" : "type "}{ ${name} } from "@tapedeck/contract"\n`,
    `import type { Effect } from "effect"\n`,
    isUsed("Stream.empty", made) ? `import { Stream } from "effect"\n` : `import type { Stream } from "effect"\n`,
    `import type { HttpClientError } from "effect/http"\n`,
    `import ${decodes ? "" : "type "}{ HttpApiClient } from "effect/http-api"\n`,
    `import type { ${shapes.sort().join(", ")} } from "../../generated/${name}.types.gen.ts"\n`,
    helpers.length === 0 ? "" : `import { ${helpers.join(", ")} } from "../calls.ts"\n`,
    `import type { CallError, SendError } from "../send.ts"\n`,
    `\n${text}`
  ].join("")
}
