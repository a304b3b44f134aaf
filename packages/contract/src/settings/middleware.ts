import { HttpApiMiddleware } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { refusals } from "../refusals.ts"

const unknown = errorV2(
  "BadRequest",
  "A query parameter or a key of the body is unknown. The message names it, and suggests the known name that it resembles."
)

/** No session is required. */
export class Anyone extends HttpApiMiddleware.Service<Anyone>()("@tapedeck/contract/settings/Anyone", {
  error: unknown
}) {}

/** Requires a signed-in user of the account, or a token of an account with API access. */
export class MemberAccess extends HttpApiMiddleware.Service<MemberAccess>()(
  "@tapedeck/contract/settings/MemberAccess",
  {
    error: [errorV2("Forbidden", refusals.apiAccess), unknown]
  }
) {}

/** Requires a signed-in admin of the account, or a token of an admin of an account with API access. */
export class AdminAccess extends HttpApiMiddleware.Service<AdminAccess>()("@tapedeck/contract/settings/AdminAccess", {
  error: [errorV2("Forbidden", refusals.adminOnly), unknown]
}) {}

/** Requires a signed-in session, not an access token, so that a leaked token cannot create further tokens. */
export class SessionOnly extends HttpApiMiddleware.Service<SessionOnly>()("@tapedeck/contract/settings/SessionOnly", {
  error: [errorV2("Forbidden", "The request has an access token. It requires a signed-in session."), unknown]
}) {}

/** Requires a signed-in session of an admin. Operations that set passwords are refused for access tokens. */
export class AdminSession extends HttpApiMiddleware.Service<AdminSession>()(
  "@tapedeck/contract/settings/AdminSession",
  {
    error: [
      errorV2(
        "Forbidden",
        "The caller is not an admin, or the request has an access token. It requires a signed-in session."
      ),
      unknown
    ]
  }
) {}

/** Makes a POST safe to repeat: a repeated request with the same `Idempotency-Key` gets the first response again. It is added before the
 * middleware that requires a permission, so that it runs inside that middleware.
 */
export class IdempotentPost extends HttpApiMiddleware.Service<IdempotentPost>()(
  "@tapedeck/contract/settings/IdempotentPost",
  {
    error: [
      errorV2("BadRequest", "The `Idempotency-Key` is malformed."),
      errorV2("Conflict", "A request with the same `Idempotency-Key` is in progress."),
      errorV2("Unprocessable", "The `Idempotency-Key` was used for a different request.")
    ]
  }
) {}
