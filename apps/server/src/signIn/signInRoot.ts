import { Ids, storeContext, storeOf, Vault } from "@tapedeck/core"
import type { Root } from "@tapedeck/http"
import { Context, Effect } from "effect"
import type { Config } from "../config/Config.ts"
import { basePathOf, serviceConfigOf } from "../serve/serviceConfig.ts"
import type { Provider } from "./oidc.ts"
import type { SignInServices } from "./signInApp.ts"

/** The root of the sign-in pages: sign in, set a password with a link, list and end sessions. */
export const signInRoot = (config: Config): Effect.Effect<Root, never, SignInServices> =>
  Effect.zipWith(Effect.context<Ids | Vault>(), storeOf("passwords"), (context, store): Root => {
    const services = Context.merge(Context.pick(Ids, Vault)(context), storeContext(store))
    let pages: typeof import("./signInApp.ts") | undefined
    return {
      path: "/sign-in",
      access: "public",
      version: "v2",
      rules: {},
      isShared: false,
      isStrict: false,
      load: async () => {
        pages = await import("./signInApp.ts")
        return pages.signInEndpoints(waysOf(config), providerOf(config), services)
      },
      page: (error) => pages?.errorPage({ basePath: basePathOf(config) }, error)
    }
  })

const providerOf = (config: Config): Provider | null => {
  const { oidc_client_id: clientId, oidc_client_secret: clientSecret, oidc_issuer: issuer } = config
  const trustsEmail = config.oidc_trust_email
  if (issuer === undefined || clientId === undefined) return null
  const redirectUri = `${serviceConfigOf(config).publicUrl}/sign-in/oidc/callback`
  return { issuer, clientId, clientSecret, trustsEmail, redirectUri }
}

const waysOf = ({ oidc_issuer, oidc_name, password_sign_in, smtp_url }: Config) => ({
  passwords: password_sign_in,
  provider: oidc_issuer === undefined ? null : oidc_name,
  mail: smtp_url !== undefined
})
