import { HttpApiMiddleware } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { refusals } from "../refusals.ts"

const unknown = errorV2(
  "BadRequest",
  "A query parameter or a key of the body is unknown; the message names it, and the known one that it was probably meant to be."
)

/** No session is required. */
export class Anyone extends HttpApiMiddleware.Service<Anyone>()("@tapedeck/contract/settings/Anyone", {
  error: unknown
}) {}

/** Every signed-in user of the account, and every token of an account that may use the API. */
export class MemberAccess extends HttpApiMiddleware.Service<MemberAccess>()(
  "@tapedeck/contract/settings/MemberAccess",
  {
    error: [errorV2("Forbidden", refusals.apiAccess), unknown]
  }
) {}

/** The same, but admins only. */
export class AdminAccess extends HttpApiMiddleware.Service<AdminAccess>()("@tapedeck/contract/settings/AdminAccess", {
  error: [errorV2("Forbidden", refusals.adminOnly), unknown]
}) {}

/** Signed in, not with an access token: a leaked token cannot mint its successors. */
export class SessionOnly extends HttpApiMiddleware.Service<SessionOnly>()("@tapedeck/contract/settings/SessionOnly", {
  error: [errorV2("Forbidden", "It takes a signed-in session, not an access token."), unknown]
}) {}

/** A session of an admin: operations that set passwords are refused for tokens. */
export class AdminSession extends HttpApiMiddleware.Service<AdminSession>()(
  "@tapedeck/contract/settings/AdminSession",
  {
    error: [
      errorV2("Forbidden", "The caller is not an admin, or it is an access token: it takes a signed-in session."),
      unknown
    ]
  }
) {}

/**
 * Lets a POST be repeated: the first answer of an `Idempotency-Key` is given again. It comes before the middleware that
 * says who may call, so that it runs inside of it.
 */
export class IdempotentPost extends HttpApiMiddleware.Service<IdempotentPost>()(
  "@tapedeck/contract/settings/IdempotentPost",
  {
    error: [
      errorV2("BadRequest", "The `Idempotency-Key` is malformed."),
      errorV2("Conflict", "A request with the same `Idempotency-Key` is in progress."),
      errorV2("Unprocessable", "The `Idempotency-Key` was used for another request.")
    ]
  }
) {}
