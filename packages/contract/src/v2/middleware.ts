import { HttpApiMiddleware } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { refusals } from "../refusals.ts"

/** Authenticates the caller. A server returns its errors, and those of `RequestLimits`, before it looks up the endpoint, and for
 * unknown paths, too.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication>()(
  "@tapedeck/contract/v2/Authentication",
  {
    requiredForClient: true,
    error: [errorV2("Unauthenticated", refusals.unauthenticated), errorV2("TooManyRequests", refusals.tooManyRequests)]
  }
) {}

/** Errors that any request can get. */
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

/** Requires that the account has API access. */
export class ApiAccess extends HttpApiMiddleware.Service<ApiAccess>()("@tapedeck/contract/v2/ApiAccess", {
  error: errorV2("Forbidden", refusals.apiAccess)
}) {}

/** Requires that the account has API access, and that the caller is an admin. */
export class AdminOnly extends HttpApiMiddleware.Service<AdminOnly>()("@tapedeck/contract/v2/AdminOnly", {
  error: errorV2("Forbidden", refusals.adminOnly)
}) {}

/** Refuses a query that does not decode, with a message that names the parameter. */
export class QueryValidation extends HttpApiMiddleware.Service<QueryValidation>()(
  "@tapedeck/contract/v2/QueryValidation",
  { error: errorV2("BadRequest", "Invalid query parameter. The message names it.") }
) {}
