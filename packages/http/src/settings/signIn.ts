import { settings } from "@tapedeck/contract"
import {
  type Admitted,
  type IssuedLink,
  type ListedSession,
  ServiceConfig,
  Sessions,
  SignIn,
  SignInLinks
} from "@tapedeck/core"
import { type Account, toIso, type User } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { contractEndpoints } from "../contractEndpoints.ts"
import { signInLimit } from "../pipeline/requestBody.ts"
import {
  BROWSER_COOKIE,
  type Connection,
  connectionOf,
  ownConnection,
  readCookie,
  SESSION_COOKIE,
  withCookie,
  withSignedIn
} from "../pipeline/signInCookie.ts"
import { wireUser } from "../recordings/wire/user.ts"
import { secretJson } from "../responses.ts"

export const wireManagedUser = (user: User): settings.User => ({
  id: user.id,
  ...wireUser(user),
  notify_failed_deliveries: user.notifyFailedDeliveries,
  active: user.active,
  invited: user.isInvited === true
})

export const wireLink = ({ expiresAt, mailed, url }: IssuedLink): settings.PasswordLink => ({
  url,
  expires_at: toIso(expiresAt),
  mail: mailed
})

const wireSignedIn = ({ account, user }: { readonly account: Account; readonly user: User }): settings.SignedIn => ({
  user: wireManagedUser(user),
  account: { id: account.id, name: account.name, helpdesk_addresses: account.helpdeskAddresses ?? {} }
})

export const wireSession = ({ isCurrent, session }: ListedSession): settings.Session => ({
  id: session.id,
  current: isCurrent,
  method: session.method,
  created_at: toIso(session.createdAt),
  seen_at: toIso(session.seenAt),
  expires_at: toIso(session.expiresAt),
  ip_address: session.ipAddress,
  user_agent: session.userAgent
})

/** The response to a sign-in. */
const opened = (connection: Connection, admitted: Admitted) =>
  withSignedIn(secretJson(wireSignedIn(admitted)), connection, admitted)

const open = { body: signInLimit, isShared: false } as const

/** Endpoints for callers without a session. */
export const signIn = contractEndpoints(settings.Api.groups.signIn, {
  withPassword: {
    ...open,
    answer: Effect.fnUntraced(function* ({ input, request }) {
      const { withPassword } = yield* SignIn
      const connection = yield* ownConnection(request)
      const previous = readCookie(request, connection, SESSION_COOKIE)
      const known = readCookie(request, connection, BROWSER_COOKIE)
      const admitted = yield* withPassword(yield* input, previous, known)
      return opened(connection, admitted)
    })
  },
  withLink: {
    ...open,
    answer: Effect.fnUntraced(function* ({ input, request }) {
      const { use } = yield* SignInLinks
      const connection = yield* ownConnection(request)
      const previous = readCookie(request, connection, SESSION_COOKIE)
      const session = yield* use(yield* input, previous)
      return opened(connection, session)
    })
  },
  forgotten: {
    ...open,
    answer: Effect.fnUntraced(function* ({ input, request }) {
      const { forgotten } = yield* SignInLinks
      yield* ownConnection(request)
      yield* forgotten(yield* input)
      const answer: settings.ForgottenPasswordAnswer = {
        message: "If a user has this address, a mail is on its way."
      }
      return answer
    })
  }
})

/** Endpoints for signed-in users: their sessions and their password. */
export const sessions = contractEndpoints(settings.Api.groups.sessions, {
  current: {
    answer: Effect.fnUntraced(function* ({ caller }) {
      return wireSignedIn(caller)
    })
  },
  list: {
    answer: Effect.fnUntraced(function* ({ caller }) {
      const { list } = yield* Sessions
      return { sessions: (yield* list(caller)).map(wireSession) }
    })
  },
  end: {
    answer: ({ caller, params }) => Sessions.use(({ end }) => end(caller, params.id))
  },
  end_others: {
    answer: Effect.fnUntraced(function* ({ caller }) {
      const { endOthers } = yield* Sessions
      yield* endOthers(caller)
    })
  },
  sign_out: {
    answer: Effect.fnUntraced(function* ({ caller, request }) {
      const { signOut } = yield* Sessions
      const config = yield* ServiceConfig
      yield* signOut(caller)
      const gone = { name: SESSION_COOKIE, value: "", maxAgeSeconds: 0 }
      return withCookie(HttpServerResponse.empty(), connectionOf(request, config), gone)
    })
  },
  change_password: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { changePassword } = yield* SignIn
      yield* changePassword(caller, yield* input)
    })
  }
})
