import { BadRequest, hasOptionalBody, operationOf, type settings } from "@tapedeck/contract"
import { stage } from "@tapedeck/core"
import { type DecodedInput, decodeInput } from "@tapedeck/domain/input"
import type { Operation } from "@tapedeck/domain/internal/people"
import { Effect, Schema, SchemaAST, SchemaIssue } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { objectBody, optionalObjectBody } from "./jsonBody.ts"
import { type Refusal, refuseParameters } from "./pipeline/refusals.ts"
import { jsonText } from "./responses.ts"
import type {
  Answer,
  AuthenticatedRequest,
  CoreServices,
  Endpoint,
  EndpointRequest,
  PublicEndpoint,
  Services
} from "./routes.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The part of a contract's endpoint that determines the type of its handler. */
interface Contract {
  readonly "~Params": Schema.Top
  readonly "~Query": Schema.Top
  readonly "~Payload": Schema.Top
  readonly "~Success": Schema.Top
  readonly "~Middleware": unknown
}

/** The request, decoded by the contract, with the caller that the contract requires. */
type Decoded<C extends Contract> = Omit<
  settings.Anyone extends C["~Middleware"] ? EndpointRequest : AuthenticatedRequest,
  "params"
> & {
  readonly params: C["~Params"]["Type"]
  readonly query: C["~Query"]["Type"]
  /** The JSON body, which is read on request: 400 for unknown keys. The use case refuses invalid values (R1). */
  readonly input: Effect.Effect<DecodedInput<C["~Payload"]["Type"]>, Refusal>
}

type Written<C extends Contract> = Effect.Effect<Response | C["~Success"]["Type"], Refusal, Services>

/** Declaration of an endpoint in addition to its contract. The handler returns a response, or the value that the contract sends as JSON. */
interface Declaration<C extends Contract>
  extends Pick<PublicEndpoint, "body" | "isShared" | "parameterRules" | "rules"> {
  readonly answer: (input: Decoded<C>) => Written<C>
}

/** Wrapper of a handler, such as the handling of an `Idempotency-Key`. */
export type Wrap<R = CoreServices> = (operation: Operation, input: AuthenticatedRequest, answer: Answer) => Answer<R>

export type ContractGroup = Readonly<Record<string, Contract>>

export type Declarations<Endpoints extends ContractGroup> = {
  readonly [Name in keyof Endpoints]: Declaration<Endpoints[Name]>
}

/** The services of core that the handlers use. */
type Used<D extends Readonly<Record<string, { readonly answer: (input: never) => unknown }>>> = Exclude<
  Effect.Services<ReturnType<D[keyof D]["answer"]>>,
  Services<never>
>

/** Endpoints of a contract's group: each with its operation and its handler. */
export const contractEndpoints = <
  const Endpoints extends ContractGroup,
  const D extends Declarations<Endpoints>,
  Wrapping = never
>(
  group: { readonly endpoints: Endpoints },
  declarations: D,
  wrap?: (contract: HttpApiEndpoint.Top) => Wrap<Wrapping> | undefined
): ReadonlyArray<Endpoint<Used<D> | Wrapping>> =>
  Object.entries(declarations).map(([name, declaration]) => {
    const contract = group.endpoints[name] as unknown as HttpApiEndpoint.Top
    return endpointOf(contract, declaration as Declaration<HttpApiEndpoint.Top>, wrap?.(contract))
  })

/** The status of what an endpoint answers when it does not refuse; `HttpApiSchema.status` leaves it there. */
const statusOf = ({ success: [first] }: HttpApiEndpoint.Top): number =>
  (first?.ast.context?.annotations?.httpApiStatus as number | undefined) ?? 200

const endpointOf = <R>(
  contract: HttpApiEndpoint.Top,
  { answer, ...declared }: Declaration<HttpApiEndpoint.Top>,
  wrap: Wrap<R> | undefined
): Endpoint<never> => {
  const status = statusOf(contract)
  const write = (value: unknown): Response => {
    if (HttpServerResponse.isHttpServerResponse(value)) return value
    return value === undefined ? HttpServerResponse.empty({ status }) : jsonText(JSON.stringify(value), status)
  }
  const decode = contractQuery(contract, refusedQuery(declared), { errors: "all" })
  const operation = operationOf(contract)
  const decodeBody = contract.payload.size > 0 ? contractBody(contract) : undefined
  const takesBody = contract.payload.size > 0 || contract.method === "GET"
  const answered = (request: EndpointRequest) => {
    const decoded = Effect.flatMapEager(decode(request.search), (query) => {
      const decoded = decodeBody ? { ...request, query, input: decodeBody(request.request) } : { ...request, query }
      return Effect.map((answer as (decoded: unknown) => Written<HttpApiEndpoint.Top>)(decoded), write)
    })
    const wrapped: Answer<R | CoreServices> =
      wrap && operation ? wrap(operation, request as AuthenticatedRequest, decoded) : decoded
    return takesBody ? wrapped : Effect.andThen(noBody(request), wrapped)
  }
  const endpoint = {
    ...declared,
    operation,
    methods: [contract.method],
    path: contract.path as Endpoint["path"],
    parameters: parametersOf(contract),
    answer: answered
  }
  // The cast drops the services that the endpoint uses: the type of its declaration has them.
  return endpoint as Endpoint<never>
}

/** The names of an endpoint's query parameters. */
const parametersOf = ({ query }: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const ast = query === undefined ? undefined : SchemaAST.toEncoded(query.ast)
  return ast?._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** Decodes a JSON body. */
export const contractBody = <C extends Pick<Contract, "~Payload">>(contract: C) => {
  const endpoint = contract as unknown as HttpApiEndpoint.Top
  const [schema = Schema.Struct({})] = endpoint.payload.get("application/json")?.schemas ?? []
  const decode = decodeInput(schema as unknown as Schema.ConstraintDecoder<C["~Payload"]["Type"]>)
  const read = hasOptionalBody(endpoint) ? optionalObjectBody : objectBody
  return (request: EndpointRequest["request"]) =>
    stage(
      "decode",
      Effect.flatMap(read(request), (body) =>
        Effect.mapError(Effect.fromResult(decode(body)), (message) => new BadRequest({ message }))
      )
    )
}

/** Refuses unknown keys, so that nothing is ignored silently. */
const noBody = Effect.fnUntraced(function* ({ request }: EndpointRequest) {
  const [key] = Object.keys(yield* optionalObjectBody(request))
  if (key !== undefined) return yield* new BadRequest({ message: `${key}: unknown key: this takes no body` })
})

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Decodes the query of an endpoint, or gives what is wrong with it to `refuse`. */
export const contractQuery = <E>(
  { query }: HttpApiEndpoint.Top,
  refuse: (issue: SchemaIssue.Issue) => E,
  options?: SchemaAST.ParseOptions
) => {
  if (query === undefined) return () => Effect.void
  let decode: ((search: unknown) => Effect.Effect<unknown, Schema.SchemaError>) | undefined
  return (search: EndpointRequest["search"]): Effect.Effect<unknown, E> => {
    decode ??= Schema.decodeUnknownEffect(Schema.toCodecArrayFromSingle(query as Schema.Codec<unknown>), options)
    return Effect.mapErrorEager(decode(search), ({ issue }) => refuse(issue))
  }
}

/** A refusal names every parameter that is wrong, not the first alone. */
const refusedQuery = (declared: Pick<Endpoint, "parameterRules">) => (issue: SchemaIssue.Issue) => {
  const problems = formatIssues(issue).issues.map(({ message, path = [] }) => ({
    path: path.map((segment) => String(typeof segment === "object" ? segment.key : segment)),
    message
  }))
  const message = problems.map((problem) => [...problem.path, problem.message].join(" ")).join("; ")
  return refuseParameters(
    declared,
    problems.flatMap(({ path: [name] }) => name ?? []),
    message
  )
}
