import { withSignedIn } from "@tapedeck/http"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { htmlPage, onward, safeNext, seeOther } from "./forms.ts"
import { makeOidc, type OidcFailed, type Provider } from "./oidc.ts"
import type { PageContext } from "./PageContext.ts"
import { messagePage } from "./pages.ts"

const words: Readonly<Record<OidcFailed["reason"], { readonly status: number; readonly text: string }>> = {
  unreachable: {
    status: 502,
    text: "Sign-in with the provider failed. Try again, or contact the administrator of this server."
  },
  refused: { status: 401, text: "The provider refused the sign-in, or its response was not valid. Try again." },
  forgotten: { status: 400, text: "The sign-in took too long, or was started in another browser. Start again." }
}

const notKnown =
  "The provider signed you in, but this server did not: your e-mail address there must be verified and belong to an active user of this server"

/** The pages of sign-in with a provider: the redirect there, and the return. */
export const oidcPages = (provider: Provider, name: string) => {
  const oidc = makeOidc(provider)
  const title = `Sign in with ${name}`
  const failed =
    (context: PageContext) =>
    ({ reason }: OidcFailed) => {
      const { status, text } = words[reason]
      return Effect.succeed(htmlPage(context, messagePage(title, text), status))
    }
  const there = (context: PageContext) =>
    Effect.catchTag(
      oidc.start(context.connection, safeNext(context.query.get("next") ?? undefined), seeOther),
      "OidcFailed",
      failed(context)
    )

  const back = (context: PageContext) => {
    const { connection, cookie, request } = context
    return oidc.finish(request, connection, cookie).pipe(
      Effect.map(({ admitted, next }) => withSignedIn(onward(context, next), connection, admitted)),
      Effect.catchTags({
        OidcFailed: failed(context),
        SignInRefused: () => Effect.succeed(htmlPage(context, messagePage(title, notKnown), 403))
      }),
      Effect.map((response): HttpServerResponse.HttpServerResponse => oidc.forget(response, connection))
    )
  }
  return { "/sign-in/oidc": { GET: there }, "/sign-in/oidc/callback": { GET: back } }
}
