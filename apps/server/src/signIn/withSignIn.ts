import { Store } from "@tapedeck/core"
import type { ProductApp } from "@tapedeck/http"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Config } from "../config/Config.ts"

/** Every path that has a page; what is below `/sign-in` and not here is 404. */
export const signInPagePaths = [
  "/sign-in",
  "/sign-in/link",
  "/sign-in/forgotten",
  "/sign-in/account",
  "/sign-in/sessions/end",
  "/sign-in/sessions/end-others",
  "/sign-in/password",
  "/sign-in/sign-out"
] as const

const isPage = /^\/sign-in(?=[/?#]|$)([^?#]*)/

/**
 * The app with pages below `/sign-in`: to sign in, to set a password by a link, to see and end one's sessions. They are loaded
 * when one is first asked for.
 */
export const withSignIn = (app: ProductApp, config: Config): Effect.Effect<ProductApp, never, Store> =>
  Effect.map(Store, (store): ProductApp => {
    let loaded: Promise<ReturnType<typeof import("./signInApp.ts")["makeSignInApp"]>> | undefined
    const load = async () => (await import("./signInApp.ts")).makeSignInApp(waysOf(config))
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const path = isPage.exec(request.url)?.[0]
      if (path === undefined) return app
      const pages = Effect.promise(() => (loaded ??= load()))
      return Effect.provideService(
        Effect.flatMap(pages, (answer) => answer(request, path)),
        Store,
        store
      )
    })
  })

const waysOf = ({ password_sign_in }: Config) => ({ passwords: password_sign_in, provider: null, mail: false })
