import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, RequestLimits } from "../v2/middleware.ts"
import { bodyErrors, idParameter, noContent, noSuch } from "./fields.ts"
import { Anyone, SessionOnly } from "./middleware.ts"
import {
  Credentials,
  ForgottenPassword,
  ForgottenPasswordAnswer,
  LinkInput,
  PasswordChange,
  SessionList,
  SignedIn
} from "./wire/SignIn.ts"

const crossSite = errorV2(
  "Forbidden",
  "A page of another site sent the request, or the connection is neither encrypted nor local."
)
const throttled = errorV2("TooManyRequests", "Too many tries. `Retry-After` contains the time until the next one.")

const withPassword = HttpApiEndpoint.post("withPassword", "/sign-in", {
  payload: Credentials,
  success: SignedIn,
  error: [
    ...bodyErrors,
    errorV2("Unauthenticated", "The e-mail address or the password is wrong. The response does not reveal which."),
    crossSite,
    throttled
  ]
}).annotateMerge(
  about(
    "signIn.withPassword",
    "Sign in",
    "Opens a session of the settings API, and ends the session that the browser had before. The response sets its cookie. Requests " +
      "with the cookie that change something must come from a page of this origin.",
    "user.login"
  )
)

const withLink = HttpApiEndpoint.post("withLink", "/sign-in/link", {
  payload: LinkInput,
  success: SignedIn,
  error: [
    ...bodyErrors,
    crossSite,
    errorV2("NotFound", "The link does not exist, has expired, or was used."),
    throttled
  ]
}).annotateMerge(
  about(
    "signIn.withLink",
    "Set a password by link",
    "Sets a password by a one-time link, ends all sessions of the user, and signs in. The link cannot be used again.",
    "user.login",
    "user.password_changed"
  )
)

const forgotten = HttpApiEndpoint.post("forgotten", "/sign-in/forgotten", {
  payload: ForgottenPassword,
  success: ForgottenPasswordAnswer.pipe(HttpApiSchema.status(202)),
  error: [...bodyErrors, crossSite, errorV2("Conflict", "Mail is not set up."), throttled]
}).annotateMerge(
  about(
    "signIn.forgotten",
    "Request a link by mail",
    "Sends a link that sets a password. The response is the same whether or not a user has this address."
  )
)

/** Endpoints without a session. */
export class SignIn extends HttpApiGroup.make("signIn")
  .add(withPassword, withLink, forgotten)
  .middleware(Anyone)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Sign in", description: "Sign-in of users. These endpoints take no token." })
  ) {}

const current = HttpApiEndpoint.get("current", "/session", { success: SignedIn })
  .annotateMerge(about("sessions.current", "Get the signed-in user", "Returns the caller and their account."))
  .middleware(SessionOnly)

const list = HttpApiEndpoint.get("list", "/sessions", { success: SessionList })
  .annotateMerge(about("sessions.list", "List sessions", "Lists the sessions of the caller, newest first."))
  .middleware(SessionOnly)

const end = HttpApiEndpoint.delete("end", "/sessions/:id", {
  params: { id: idParameter("session") },
  success: noContent("The session has ended."),
  error: noSuch("session of the caller")
})
  .annotateMerge(
    about(
      "sessions.end",
      "End a session",
      "Ends a session. Requests with it are refused with 401 from then on.",
      "user.session_ended"
    )
  )
  .middleware(SessionOnly)

const endOthers = HttpApiEndpoint.delete("end_others", "/sessions", { success: noContent("The sessions have ended.") })
  .annotateMerge(
    about(
      "sessions.endOthers",
      "End all other sessions",
      "Ends all sessions of the caller except this one.",
      "user.session_ended"
    )
  )
  .middleware(SessionOnly)

const signOut = HttpApiEndpoint.post("sign_out", "/sign-out", { success: noContent("Signed out.") })
  .annotateMerge(about("sessions.signOut", "Sign out", "Ends this session and deletes the cookie.", "user.logout"))
  .middleware(SessionOnly)

const changePassword = HttpApiEndpoint.post("change_password", "/password", {
  payload: PasswordChange,
  success: noContent("The password is changed."),
  error: bodyErrors
})
  .annotateMerge(
    about(
      "sessions.changePassword",
      "Change the password",
      "Changes the caller's password. The request must include the present one. All other sessions of the caller end.",
      "user.password_changed"
    )
  )
  .middleware(SessionOnly)

/** Endpoints that require a session. */
export class Sessions extends HttpApiGroup.make("sessions")
  .add(current, list, end, endOthers, signOut, changePassword)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Sessions and password of the caller." })) {}
