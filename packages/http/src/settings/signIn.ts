import { type ApiError, NotFound, settings, Unauthenticated } from "@tapedeck/contract"
import {
  type Admitted,
  type LinkRefused,
  type ListedSession,
  ServiceConfig,
  Sessions,
  SignIn,
  SignInLinks,
  SignInPolicy,
  type SignInThrottled,
  type ToldLink
} from "@tapedeck/core"
import { type Account, toIso, type User } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { tooManyRequests } from "../refusals.ts"
import { errorResponse, secretJson } from "../responses.ts"
import {
  BROWSER_COOKIE,
  type Connection,
  connectionOf,
  ownConnection,
  readCookie,
  SESSION_COOKIE,
  withCookie,
  withSignedIn
} from "../signInCookie.ts"
import { wireUser } from "../wire/user.ts"
import { objectBody } from "./body.ts"
import { refused } from "./refusals.ts"

export const wireManagedUser = (user: User): settings.User => ({ id: user.id, ...wireUser(user), active: user.active })

export const wireLink = ({ expiresAt, mailed, url }: ToldLink): settings.PasswordLink => ({
  url,
  expires_at: toIso(expiresAt),
  mail: mailed
})

const wireSignedIn = ({ account, user }: { readonly account: Account; readonly user: User }): settings.SignedIn => ({
  user: wireManagedUser(user),
  account: { id: account.id, name: account.name }
})

const wireSession = ({ isCurrent, session }: ListedSession): settings.Session => ({
  id: session.id,
  current: isCurrent,
  method: session.method,
  created_at: toIso(session.createdAt),
  seen_at: toIso(session.seenAt),
  expires_at: toIso(session.expiresAt),
  ip_address: session.ipAddress,
  user_agent: session.userAgent
})

/** The answer to who has just signed in. */
const opened = (connection: Connection, admitted: Admitted) =>
  withSignedIn(secretJson(wireSignedIn(admitted)), connection, admitted)

const throttled = (refusal: SignInThrottled) => Effect.fail(tooManyRequests(refusal))

/** A refusal with the headers that go with it, which HttpApi does not know: when to try again. */
const withHeaders = <E extends ApiError, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.catch(answer, (refusal) => Effect.succeed(errorResponse("v2", refusal)))

const noSuchLink = ({ message }: LinkRefused) => new NotFound({ message })

/** For whoever is not signed in. */
export const signIn = HttpApiBuilder.group(settings.Api, "signIn", (handlers) =>
  handlers
    .handleRaw(
      "withPassword",
      Effect.fnUntraced(function* ({ request }) {
        const { withPassword } = yield* SignIn
        const connection = yield* ownConnection(request)
        const input = yield* objectBody(request)
        const previous = readCookie(request, connection, SESSION_COOKIE)
        const known = readCookie(request, connection, BROWSER_COOKIE)
        const admitted = yield* withPassword(input, previous, known).pipe(
          Effect.catchTags({
            Invalid: (refusal) => Effect.fail(refused(refusal)),
            Malformed: (refusal) => Effect.fail(refused(refusal)),
            SignInRefused: ({ message }) => Effect.fail(new Unauthenticated({ message })),
            SignInThrottled: throttled
          })
        )
        return opened(connection, admitted)
      }, withHeaders)
    )
    .handleRaw(
      "withLink",
      Effect.fnUntraced(function* ({ request }) {
        const { use } = yield* SignInLinks
        const connection = yield* ownConnection(request)
        const input = yield* objectBody(request)
        const previous = readCookie(request, connection, SESSION_COOKIE)
        const session = yield* use(input, previous).pipe(
          Effect.catchTags({
            Invalid: (refusal) => Effect.fail(refused(refusal)),
            Malformed: (refusal) => Effect.fail(refused(refusal)),
            LinkRefused: (refusal) => Effect.fail(noSuchLink(refusal)),
            SignInThrottled: throttled
          })
        )
        return opened(connection, session)
      }, withHeaders)
    )
    .handleRaw(
      "forgotten",
      Effect.fnUntraced(function* ({ request }) {
        const { forgotten } = yield* SignInLinks
        yield* ownConnection(request)
        const input = yield* objectBody(request)
        yield* forgotten(input).pipe(
          Effect.catchTags({
            Invalid: (refusal) => Effect.fail(refused(refusal)),
            Malformed: (refusal) => Effect.fail(refused(refusal)),
            Conflicting: (refusal) => Effect.fail(refused(refusal)),
            SignInThrottled: throttled
          })
        )
        const answer: settings.ForgottenPasswordAnswer = {
          message: "If a user has this address, a mail is on its way."
        }
        return HttpServerResponse.text(JSON.stringify(answer), { contentType: "application/json", status: 202 })
      }, withHeaders)
    )
)

/** For whoever is signed in: their sessions, and their password. */
export const sessions = HttpApiBuilder.group(settings.Api, "sessions", (handlers) =>
  handlers
    .handle(
      "current",
      Effect.fnUntraced(function* () {
        return wireSignedIn(yield* CurrentCaller)
      })
    )
    .handle(
      "list",
      Effect.fnUntraced(function* () {
        const { list } = yield* Sessions
        return { sessions: (yield* list(yield* CurrentCaller)).map(wireSession) }
      })
    )
    .handle(
      "end",
      Effect.fnUntraced(function* ({ params }) {
        const { end } = yield* Sessions
        return yield* Effect.mapError(end(yield* CurrentCaller, params.id), refused)
      })
    )
    .handle(
      "end_others",
      Effect.fnUntraced(function* () {
        const { endOthers } = yield* Sessions
        yield* endOthers(yield* CurrentCaller)
      })
    )
    .handleRaw(
      "sign_out",
      Effect.fnUntraced(function* ({ request }) {
        const { signOut } = yield* Sessions
        const { isTls } = yield* SignInPolicy
        const { publicUrl } = yield* ServiceConfig
        yield* signOut(yield* CurrentCaller)
        const gone = { name: SESSION_COOKIE, value: "", maxAgeSeconds: 0 }
        return withCookie(HttpServerResponse.empty(), connectionOf(request, { isTls, publicUrl }), gone)
      })
    )
    .handleRaw(
      "change_password",
      Effect.fnUntraced(function* ({ request }) {
        const { changePassword } = yield* SignIn
        const input = yield* objectBody(request)
        yield* changePassword(yield* CurrentCaller, input).pipe(
          Effect.catchTags({
            Invalid: (refusal) => Effect.fail(refused(refusal)),
            Malformed: (refusal) => Effect.fail(refused(refusal)),
            SignInThrottled: throttled
          })
        )
      })
    )
)
