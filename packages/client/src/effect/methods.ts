import { type Effect, type Schema, SchemaAST, Stream } from "effect"
import type { HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { file, type KeyedOptions, keyed, paged, type RawBytes, type RawOptions, raw } from "./calls.ts"
import { operationId } from "./names.ts"
import type { CallError } from "./send.ts"

/** Request of an endpoint of an `HttpApiClient`. */
interface Request {
  readonly params: Readonly<Record<string, unknown>>
  readonly query?: object
  readonly payload?: unknown
  readonly headers?: object
  readonly responseMode?: "response-only"
}

/** Refusals are errors of it, too: the types of the operations have them. */
type Call = (request: Request) => Effect.Effect<never, CallError>

type Decode = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, CallError>

type Method = (...given: ReadonlyArray<unknown>) => unknown

const fieldsOf = (schema: Schema.Top | undefined): ReadonlyArray<SchemaAST.PropertySignature> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast) ? schema.ast.propertySignatures : []

const isText = (type: string) => type.startsWith("text/") || type === "application/x-ndjson"

/** The media type of a body whose caller names none. */
const defaultType = (types: ReadonlyArray<string>): string =>
  (types.includes("text/plain") ? "text/plain" : types.find(isText)) ?? "application/octet-stream"

/** Reads the arguments of a method: the parameters of the path, the body, the query, and options. */
const argumentsOf = (endpoint: HttpApiEndpoint.Top) => {
  const parameters = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)
  const bodies = endpoint.payload.size > 0 ? 1 : 0
  const query = fieldsOf(endpoint.query)
  const [only, ...others] = query
  // One value that is required is given alone.
  const alone = only !== undefined && others.length === 0 && !SchemaAST.isOptional(only.type) ? only.name : undefined
  return (given: ReadonlyArray<unknown>) => {
    const [body] = given.slice(parameters.length)
    const [first, second] = given.slice(parameters.length + bodies)
    const request: Request = {
      params: Object.fromEntries(parameters.map((name, index) => [name, given[index]])),
      ...(bodies > 0 && { payload: body }),
      ...(query.length > 0 && { query: alone === undefined ? { ...(first as object) } : { [alone]: first } })
    }
    return { request, body, options: query.length > 0 ? second : first }
  }
}

/** The name of a page's list. */
const listOf = ([success]: ReadonlyArray<Schema.Top>): string | undefined => {
  const fields = fieldsOf(success)
  const list = fields.find(({ type }) => SchemaAST.isArrays(type))
  return list !== undefined && fields.some(({ name }) => name === "pagination") ? String(list.name) : undefined
}

/** Bytes are declared as a stream. */
const isFile = ([success]: ReadonlyArray<Schema.Top>): boolean =>
  success !== undefined && (SchemaAST.isDeclaration(success.ast) || SchemaAST.isString(success.ast))

const hasHeader = ({ headers }: HttpApiEndpoint.Top, header: string): boolean =>
  fieldsOf(headers).some(({ name }) => name === header)

/** The methods of an endpoint: a list has a second one, for a page of it. */
const methodsOf = (
  name: string,
  endpoint: HttpApiEndpoint.Top,
  call: Call,
  decode: Decode,
  timeoutMs: number
): Readonly<Record<string, Method>> => {
  const read = argumentsOf(endpoint)
  const success = [...endpoint.success]
  const plain: Method = (...given) => call(read(given).request)
  if (isFile(success)) {
    const hasRange = hasHeader(endpoint, "range")
    return {
      [name]: (...given) => {
        const { request } = read(given)
        const ask = (headers: object) =>
          call({ ...request, ...(hasRange && { headers }), responseMode: "response-only" })
        return file(timeoutMs, ask, decode)
      }
    }
  }
  const list = listOf(success)
  if (list !== undefined) {
    return {
      [`${name}Page`]: plain,
      [name]: (...given) => {
        const { request } = read(given)
        return paged(request.query, list, (page) => call({ ...request, query: { ...request.query, ...page } }))
      }
    }
  }
  const types = [...endpoint.payload.keys()].filter((type) => type !== "application/json")
  if (types.length > 0) {
    const isBytes = !types.some(isText)
    return {
      [name]: (...given) => {
        const { body, options, request } = read(given)
        // JSON is an object, and text is sent as it is.
        if (!isBytes && typeof body !== "string") return call(request)
        const type = (options as RawOptions<string> | undefined)?.contentType ?? defaultType(types)
        return raw(body as RawBytes | string, type, call(isBytes ? { ...request, payload: Stream.empty } : request))
      }
    }
  }
  if (!hasHeader(endpoint, "idempotency-key")) return { [name]: plain }
  return {
    [name]: (...given) => {
      const { options, request } = read(given)
      return keyed(options as KeyedOptions | undefined, (headers) => call({ ...request, headers }))
    }
  }
}

/** The methods of an API's operations, by group, over what `HttpApiClient` makes of its endpoints. */
export const operationsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  client: object,
  timeoutMs: number
): object => {
  const operations: Record<string, Record<string, Method>> = {}
  const calls = client as Readonly<Record<string, Readonly<Record<string, Call>>>>
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const [resource = "", name = ""] = operationId(group.identifier, endpoint.identifier).split(".")
      const call = calls[group.identifier]![endpoint.identifier]!
      const names = { group: group.identifier, endpoint: endpoint.identifier } as never
      const decode: Decode = (response) => (HttpApiClient.decodeResponse(api, names) as unknown as Decode)(response)
      operations[resource] = { ...operations[resource], ...methodsOf(name, endpoint, call, decode, timeoutMs) }
    }
  })
  return operations
}
