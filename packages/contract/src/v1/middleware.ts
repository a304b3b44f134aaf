import { HttpApiMiddleware } from "effect/http-api"
import { errorV1 } from "../errors.ts"
import { refusals } from "../refusals.ts"

/** The middlewares of v2, with errors in the shape of v1. */

export class Authentication extends HttpApiMiddleware.Service<Authentication>()(
  "@tapedeck/contract/v1/Authentication",
  {
    requiredForClient: true,
    error: [errorV1("Unauthenticated", refusals.unauthenticated), errorV1("TooManyRequests", refusals.tooManyRequests)]
  }
) {}

export class RequestLimits extends HttpApiMiddleware.Service<RequestLimits>()("@tapedeck/contract/v1/RequestLimits", {
  error: [
    errorV1("MethodNotAllowed", refusals.methodNotAllowed),
    errorV1("PayloadTooLarge", refusals.payloadTooLarge),
    errorV1("UriTooLong", refusals.uriTooLong),
    errorV1("ServiceUnavailable", refusals.serviceUnavailable),
    errorV1("Internal", refusals.internal)
  ]
}) {}

export class ApiAccess extends HttpApiMiddleware.Service<ApiAccess>()("@tapedeck/contract/v1/ApiAccess", {
  error: errorV1("Forbidden", refusals.apiAccess)
}) {}

export class QueryValidation extends HttpApiMiddleware.Service<QueryValidation>()(
  "@tapedeck/contract/v1/QueryValidation",
  { error: errorV1("BadRequest", "Invalid query parameter. The message names it.") }
) {}
