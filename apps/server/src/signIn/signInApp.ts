import { type ApiError, errorHeaders, errorStatus } from "@tapedeck/contract"
import {
  type Admitted,
  type Caller,
  type Ids,
  type ListedSession,
  ServiceConfig,
  Sessions,
  SignIn,
  SignInLinks,
  type SignInThrottled,
  type StorePart,
  storeOf,
  type Vault
} from "@tapedeck/core"
import { Credentials, ForgottenPassword, LinkInput, PasswordChange } from "@tapedeck/domain/input"
import {
  AppOptions,
  BROWSER_COOKIE,
  type CoreServices,
  type Endpoint,
  ownConnection,
  readCookie,
  SESSION_COOKIE,
  splitTarget,
  withCookie,
  withSignedIn
} from "@tapedeck/http"
import { type Context, Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { formLimit, formOf, goTo, htmlPage, inputOf, onward, safeNext } from "./forms.ts"
import type { Provider } from "./oidc.ts"
import { oidcPages } from "./oidcPages.ts"
import type { PageContext } from "./PageContext.ts"
import { accountPage, forgottenPage, linkPage, messagePage, type Notice, signInPage, type Ways } from "./pages.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Answer = Effect.Effect<Response, never, CoreServices | SignInServices>

const account = "/sign-in/account"

const queryOf = ({ url }: Request): URLSearchParams => new URLSearchParams(splitTarget(url).query)

const bad = (text: string): Notice => ({ kind: "bad", text })

const waitText = ({ message, retryAfterMs }: SignInThrottled): string =>
  `${message}, in ${Math.max(1, Math.ceil(retryAfterMs / 60_000))} min`

const tooMany = (response: Response, { retryAfterMs }: SignInThrottled): Response =>
  HttpServerResponse.setHeader(response, "retry-after", String(Math.ceil(retryAfterMs / 1000)))

/** Continues after a sign-in, with the session cookie. */
const goOn = (context: PageContext, admitted: Admitted, next: string): Response =>
  withSignedIn(onward(context, next), context.connection, admitted)

/** The signed-in user; null if none. */
const callerOf = ({ cookie }: PageContext) =>
  Effect.gen(function* () {
    if (cookie === undefined) return null
    const { authenticate } = yield* Sessions
    return yield* Effect.orElseSucceed(authenticate(cookie), () => null)
  })

/** Runs with the signed-in user; redirects to the sign-in page if there is none. */
const signedIn = (context: PageContext, answer: (caller: Caller) => Answer): Answer =>
  Effect.flatMap(callerOf(context), (caller) =>
    caller === null ? Effect.succeed(goTo(context, "/sign-in")) : answer(caller)
  )

const showSignIn = (ways: Ways) =>
  Effect.fnUntraced(function* (context: PageContext) {
    const next = safeNext(context.query.get("next") ?? undefined)
    if ((yield* callerOf(context)) !== null) return onward(context, next)
    return htmlPage(context, signInPage(ways, { next }))
  })

const doSignIn = (ways: Ways) =>
  Effect.fnUntraced(function* (context: PageContext) {
    const { email = "", next: wanted, password = "" } = yield* formOf(context.request)
    const next = safeNext(wanted)
    const { withPassword } = yield* SignIn
    const again = (text: string) => signInPage(ways, { email, next, notice: bad(text) })
    const known = readCookie(context.request, context.connection, BROWSER_COOKIE)
    return yield* inputOf(Credentials, { email, password }).pipe(
      Effect.flatMap((input) => withPassword(input, context.cookie, known)),
      Effect.map((admitted) => goOn(context, admitted, next)),
      Effect.catchTags({
        SignInRefused: ({ message }) => Effect.succeed(htmlPage(context, again(message), 401)),
        InputInvalid: ({ message }) => Effect.succeed(htmlPage(context, again(message), 422)),
        InputMalformed: ({ message }) => Effect.succeed(htmlPage(context, again(message), 400)),
        SignInThrottled: (refusal) => Effect.succeed(tooMany(htmlPage(context, again(waitText(refusal)), 429), refusal))
      })
    )
  })

const noLink = (context: PageContext, message: string) => htmlPage(context, messagePage("Link", message), 404)

/**
 * Opening a link uses nothing up, so that neither another site nor a program that reads mail can sign a user in. The form does, which
 * is refused to other sites.
 */
const showLink = Effect.fnUntraced(function* (context: PageContext) {
  const { look } = yield* SignInLinks
  const token = context.query.get("token") ?? ""
  return yield* look(token).pipe(
    Effect.map((link) => htmlPage(context, linkPage({ ...link, token }, {}))),
    Effect.catch(({ message }) => Effect.succeed(noLink(context, message)))
  )
})

const doLink = Effect.fnUntraced(function* (context: PageContext) {
  const links = yield* SignInLinks
  const given = yield* formOf(context.request)
  const { token = "" } = given
  const again = (text: string, status: number) =>
    links.look(token).pipe(
      Effect.map((link) =>
        htmlPage(context, linkPage({ ...link, token }, { notice: bad(text), values: given }), status)
      ),
      Effect.orElseSucceed(() => noLink(context, text))
    )
  return yield* inputOf(LinkInput, given).pipe(
    Effect.flatMap((input) => links.use(input, context.cookie)),
    Effect.map((admitted) => goOn(context, admitted, "")),
    Effect.catchTags({
      LinkRefused: ({ message }) => Effect.succeed(noLink(context, message)),
      InputInvalid: ({ message }) => again(message, 422),
      InputMalformed: ({ message }) => again(message, 400),
      SignInThrottled: (refusal) => again(waitText(refusal), 429)
    })
  )
})

const doForgotten = Effect.fnUntraced(function* (context: PageContext) {
  const { forgotten } = yield* SignInLinks
  const text = "If an account with this address exists, a mail with a link is on its way."
  return yield* inputOf(ForgottenPassword, yield* formOf(context.request)).pipe(
    Effect.flatMap(forgotten),
    Effect.as(htmlPage(context, forgottenPage({ kind: "good", text }))),
    Effect.catchTags({
      InputInvalid: ({ message }) => Effect.succeed(htmlPage(context, forgottenPage(bad(message)), 422)),
      InputMalformed: ({ message }) => Effect.succeed(htmlPage(context, forgottenPage(bad(message)), 400)),
      StateConflict: ({ message }) =>
        Effect.succeed(htmlPage(context, messagePage("Forgot your password?", message), 409)),
      SignInThrottled: (refusal) =>
        Effect.succeed(tooMany(htmlPage(context, forgottenPage(bad(waitText(refusal))), 429), refusal))
    })
  )
})

const showAccount = (
  context: PageContext,
  { notice, status = 200 }: { readonly notice?: Notice; readonly status?: number } = {}
) =>
  signedIn(
    context,
    Effect.fnUntraced(function* (caller) {
      const [{ list }, { passwords }, { signIn }] = [yield* Sessions, yield* storeOf("passwords"), yield* ServiceConfig]
      const hasPassword = signIn.passwords && (yield* passwords.ofUser(caller.user.id)) !== undefined
      const sessions: ReadonlyArray<ListedSession> = yield* list(caller)
      return htmlPage(context, accountPage(caller, { sessions, hasPassword, notice }), status)
    })
  )

const endSession = (context: PageContext) =>
  signedIn(
    context,
    Effect.fnUntraced(function* (caller) {
      const { end } = yield* Sessions
      const { id = "" } = yield* formOf(context.request)
      // A session that ended in the meantime is no error: the request wanted its end.
      yield* Effect.ignore(end(caller, id))
      return goTo(context, account)
    })
  )

const endOthers = (context: PageContext) =>
  signedIn(context, (caller) =>
    Effect.flatMap(Sessions, (all) => Effect.as(Effect.ignore(all.endOthers(caller)), goTo(context, account)))
  )

const changePassword = (context: PageContext) =>
  signedIn(
    context,
    Effect.fnUntraced(function* (caller) {
      const signIn = yield* SignIn
      const given = yield* formOf(context.request)
      return yield* inputOf(PasswordChange, given).pipe(
        Effect.flatMap((input) => signIn.changePassword(caller, input)),
        Effect.andThen(showAccount(context, { notice: { kind: "good", text: "Your password was changed." } })),
        Effect.catchTags({
          InputInvalid: ({ message }) =>
            showAccount(context, { notice: bad(message.replaceAll("_", " ")), status: 422 }),
          InputMalformed: ({ message }) => showAccount(context, { notice: bad(message), status: 400 }),
          SignInThrottled: (refusal) => showAccount(context, { notice: bad(waitText(refusal)), status: 429 }),
          Unauthenticated: () => Effect.succeed(goTo(context, "/sign-in"))
        })
      )
    })
  )

const signOut = (context: PageContext) =>
  signedIn(
    context,
    Effect.fnUntraced(function* (caller) {
      yield* (yield* Sessions).signOut(caller)
      const gone = { name: SESSION_COOKIE, value: "", maxAgeSeconds: 0 }
      return withCookie(goTo(context, "/sign-in"), context.connection, gone)
    })
  )

export type Page = (context: PageContext) => Answer

/** Pages by method. */
export type Pages = Readonly<Record<Endpoint["path"], Readonly<Partial<Record<"GET" | "POST", Page>>>>>

const pagesOf = (ways: Ways): Pages => ({
  "/sign-in": { GET: showSignIn(ways), POST: doSignIn(ways) },
  "/sign-in/link": { GET: showLink, POST: doLink },
  "/sign-in/forgotten": { GET: (context) => Effect.succeed(htmlPage(context, forgottenPage())), POST: doForgotten },
  "/sign-in/account": { GET: showAccount },
  "/sign-in/sessions/end": { POST: endSession },
  "/sign-in/sessions/end-others": { POST: endOthers },
  "/sign-in/password": { POST: changePassword },
  "/sign-in/sign-out": { POST: signOut }
})

/** An error as a page. */
export const errorPage = (context: Pick<PageContext, "basePath">, error: ApiError): Response => {
  switch (error._tag) {
    case "NotFound":
    case "MethodNotAllowed":
      return htmlPage(context, messagePage("Sign in", "This page does not exist, or does not accept this method."), 404)
    case "Internal":
      return htmlPage(context, messagePage("Server error", "Something went wrong on the server. Try again."), 500)
    case "InsufficientStorage":
      return htmlPage(
        context,
        messagePage("Storage full", "The server has no storage space left. Try again later."),
        507
      )
    default: {
      const page = htmlPage(context, messagePage("Sign in", error.message), errorStatus(error))
      return HttpServerResponse.setHeaders(page, errorHeaders(error))
    }
  }
}

/** Services that the pages need besides those of every request. */
export type SignInServices = Ids | StorePart<"passwords"> | Vault

/** The pages. They work without scripts: forms and redirects. */
export const signInEndpoints = (
  ways: Ways,
  provider: Provider | null,
  services: Context.Context<SignInServices>
): ReadonlyArray<Endpoint> => {
  const pages: Pages = { ...pagesOf(ways), ...(provider !== null && oidcPages(provider, ways.provider ?? "")) }
  const endpoint = (path: Endpoint["path"], method: string, page: Page): Endpoint => ({
    methods: [method],
    path,
    operation: null,
    body: formLimit,
    answer: Effect.fnUntraced(function* ({ request }) {
      // Refuses forms of other sites, and connections without encryption.
      const connection = yield* ownConnection(request)
      const cookie = readCookie(request, connection, SESSION_COOKIE)
      const { basePath } = yield* AppOptions
      const context = { request, connection, query: queryOf(request), basePath, cookie }
      return yield* Effect.provide(page(context), services)
    })
  })
  return Object.entries(pages).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, page]) => endpoint(path as Endpoint["path"], method, page))
  )
}
