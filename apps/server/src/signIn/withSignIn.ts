import { Ids, Store, Vault } from "@tapedeck/core"
import type { ProductApp } from "@tapedeck/http"
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { type Config, serviceConfigOf } from "../config/Config.ts"
import type { Provider } from "./oidc.ts"

/** Every path that has a page; what is below `/sign-in` and not here is 404. */
export const signInPagePaths = [
  "/sign-in",
  "/sign-in/link",
  "/sign-in/forgotten",
  "/sign-in/account",
  "/sign-in/sessions/end",
  "/sign-in/sessions/end-others",
  "/sign-in/password",
  "/sign-in/sign-out",
  "/sign-in/oidc",
  "/sign-in/oidc/callback"
] as const

const page = /^(\/sign-in(?:\/[^?#]*)?)(?:[?#]|$)/

/**
 * The app with pages below `/sign-in`: to sign in, to set a password by a link, to see and end one's sessions. They are loaded
 * when one is first asked for.
 */
export const withSignIn = (app: ProductApp, config: Config): Effect.Effect<ProductApp, never, Kept> =>
  Effect.map(Effect.context<Kept>(), (services): ProductApp => {
    const kept = Context.pick(Ids, Store, Vault)(services)
    let loaded: Promise<ReturnType<typeof import("./signInApp.ts")["makeSignInApp"]>> | undefined
    const load = async () => (await import("./signInApp.ts")).makeSignInApp(waysOf(config), providerOf(config))
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const path = page.exec(request.url)?.[1]
      if (path === undefined) return app
      const pages = Effect.promise(() => (loaded ??= load()))
      return Effect.provide(
        Effect.flatMap(pages, (answer) => answer(request, path)),
        kept
      )
    })
  })

/** What pages need besides what every request brings. */
type Kept = Ids | Store | Vault

const providerOf = (config: Config): Provider | null => {
  const { oidc_client_id: clientId, oidc_client_secret: clientSecret, oidc_issuer: issuer } = config
  if (issuer === undefined || clientId === undefined) return null
  return { issuer, clientId, clientSecret, redirectUri: `${serviceConfigOf(config).publicUrl}/sign-in/oidc/callback` }
}

const waysOf = ({ oidc_issuer, oidc_name, password_sign_in, smtp_url }: Config) => ({
  passwords: password_sign_in,
  provider: oidc_issuer === undefined ? null : oidc_name,
  mail: smtp_url !== undefined
})
