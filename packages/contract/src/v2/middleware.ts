import { HttpApiMiddleware } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { refusals } from "../refusals.ts"

/**
 * Authenticates the caller. A server answers its errors, and those of `RequestLimits`, before it looks for the endpoint, for
 * unknown paths too.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication>()(
  "@tapedeck/contract/v2/Authentication",
  {
    requiredForClient: true,
    error: [errorV2("Unauthenticated", refusals.unauthenticated), errorV2("TooManyRequests", refusals.tooManyRequests)]
  }
) {}

/** What any request may be answered, whatever it asks for. */
export class RequestLimits extends HttpApiMiddleware.Service<RequestLimits>()("@tapedeck/contract/v2/RequestLimits", {
  error: [
    errorV2("MethodNotAllowed", refusals.methodNotAllowed),
    errorV2("PayloadTooLarge", refusals.payloadTooLarge),
    errorV2("UriTooLong", refusals.uriTooLong),
    errorV2("ServiceUnavailable", refusals.serviceUnavailable),
    errorV2("Internal", refusals.internal),
    errorV2("InsufficientStorage", refusals.storageFull)
  ]
}) {}

/** The account may use the API. */
export class ApiAccess extends HttpApiMiddleware.Service<ApiAccess>()("@tapedeck/contract/v2/ApiAccess", {
  error: errorV2("Forbidden", refusals.apiAccess)
}) {}

/** The account may use the API, and the caller is an admin. */
export class AdminOnly extends HttpApiMiddleware.Service<AdminOnly>()("@tapedeck/contract/v2/AdminOnly", {
  error: errorV2("Forbidden", refusals.adminOnly)
}) {}

/** Turns a query that does not decode into a refusal that names the parameter. */
export class QueryValidation extends HttpApiMiddleware.Service<QueryValidation>()(
  "@tapedeck/contract/v2/QueryValidation",
  { error: errorV2("BadRequest", "A query parameter is not what it must be; the message names it.") }
) {}
