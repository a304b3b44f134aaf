import { Mailer, SignInPolicy } from "@tapedeck/core"
import { Layer } from "effect"
import type { Config } from "../config/Config.ts"
import { mailerOf } from "../serve/mail/mailer.ts"

/** The path of a one-time link. */
const linkPath = "/sign-in/link"

/** The configured policy of sign-in. */
export const layerSignIn = (config: Config) => {
  const initial = SignInPolicy.defaultValue()
  return Layer.mergeAll(
    Layer.succeed(Mailer, mailerOf(config)),
    Layer.succeed(SignInPolicy, {
      ...initial,
      passwords: config.password_sign_in,
      idleMs: config.session_idle,
      lifetimeMs: config.session_lifetime,
      isTls: config.tls_cert !== undefined,
      linkPath
    })
  )
}
