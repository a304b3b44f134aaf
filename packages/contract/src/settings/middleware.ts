import { HttpApiMiddleware } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { refusals } from "../refusals.ts"

/** Every signed-in user of the account, and every token of an account that may use the API (S1). */
export class MemberAccess extends HttpApiMiddleware.Service<MemberAccess>()(
  "@tapedeck/contract/settings/MemberAccess",
  {
    error: errorV2("Forbidden", refusals.apiAccess)
  }
) {}

/** The same, but admins only. */
export class AdminAccess extends HttpApiMiddleware.Service<AdminAccess>()("@tapedeck/contract/settings/AdminAccess", {
  error: errorV2("Forbidden", refusals.adminOnly)
}) {}

/** Signed in, not with an access token: a leaked token cannot mint its successors (S1). */
export class SessionOnly extends HttpApiMiddleware.Service<SessionOnly>()("@tapedeck/contract/settings/SessionOnly", {
  error: errorV2("Forbidden", "It takes a signed-in session, not an access token.")
}) {}

/** Signed in, and an admin: what gives somebody a password may not be done with a token either. */
export class AdminSession extends HttpApiMiddleware.Service<AdminSession>()(
  "@tapedeck/contract/settings/AdminSession",
  {
    error: errorV2("Forbidden", "The caller is not an admin, or it is an access token: it takes a signed-in session.")
  }
) {}
