import { type ApiError, type ApiVersion, BadRequest, Forbidden } from "@tapedeck/contract"
import { type AuditLog, authorize, type Operation } from "@tapedeck/core"
import { Context, Effect, SchemaIssue } from "effect"
import type { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiError, HttpApiGroup } from "effect/http-api"
import { CurrentCaller } from "./CurrentCaller.ts"
import { versionOf } from "./paths.ts"
import { checkQuery, parametersOf } from "./queryParameters.ts"
import { errorResponse } from "./responses.ts"

export interface Route {
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

export type Answer<E> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpRouter.Provided>

/** What each endpoint of the public API is called among core's operations. */
const operationOf: Readonly<Record<string, Operation>> = {
  "recordings.list": "recordings.list",
  "recordings.get": "recordings.read",
  "recordings.update": "recordings.update",
  "recordings.download": "recordings.download",
  "recordings.transcript": "transcripts.read",
  "users.list": "users.list",
  "users.search": "users.search"
}

/** Lets the caller through where core does; 403 comes before anything of the request is decoded (R1). */
export const permitted = <E>(next: Answer<E>, { group, endpoint }: Route): Answer<E | Forbidden> => {
  const operation = operationOf[`${group.identifier}.${endpoint.identifier}`]
  if (operation === undefined) throw new Error(`${group.identifier}.${endpoint.identifier} has no operation`)
  const version = versionOf(endpoint.path)
  return permittedTo(operation, asked(version, checkQuery(parametersOf(endpoint), "ignored"), next))
}

/** Answers `next` where `check` lets the request through, else what it refuses, in that version's shape (R2). */
export const asked = <E, R>(
  version: ApiVersion,
  check: Effect.Effect<void, ApiError, HttpServerRequest.HttpServerRequest>,
  next: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.matchEffect(check, {
    onFailure: (refusal) => Effect.succeed(errorResponse(version, refusal)),
    onSuccess: () => next
  })

/** Lets the caller through to the operation where core does. */
export const permittedTo = <E, R = never>(
  operation: Operation,
  next: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E | Forbidden, R> => {
  const admitted: Effect.Effect<void, Forbidden, AuditLog> = Effect.withFiber((fiber) =>
    Effect.mapErrorEager(
      authorize(Context.getUnsafe(fiber.context, CurrentCaller), operation),
      (refusal) => new Forbidden({ message: refusal.message })
    )
  )
  // The contract, which declares the middleware, cannot name core's services; `ProductApp` requires them.
  // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off
  return Effect.andThen(admitted as Effect.Effect<void, Forbidden>, next)
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** What is wrong with the request, each parameter by its name. Our own answers failing to encode are not the caller's. */
export const queryRefusal = (
  error: HttpApiError.HttpApiSchemaError
): Effect.Effect<never, BadRequest | HttpApiError.HttpApiSchemaError> =>
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.fail(error)
    : Effect.fail(new BadRequest({ message: describeIssues(error) }))

const describeIssues = (error: HttpApiError.HttpApiSchemaError): string =>
  formatIssues(error.cause.issue)
    .issues.map(({ path = [], message }) =>
      [...path.map((segment) => String(typeof segment === "object" ? segment.key : segment)), message].join(" ")
    )
    .join("; ")
