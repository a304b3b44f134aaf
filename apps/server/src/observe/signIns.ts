import { declareCounter, SignIn } from "@tapedeck/core"
import { Effect, Layer, Metric } from "effect"

const failedSignIns = declareCounter(
  "tapedeck_sign_ins_failed_total",
  "Refused sign-ins with a password or by an OpenID Connect provider (`oidc`), and sign-ins beyond the limits (`throttled`)",
  { method: ["password", "oidc"], reason: ["refused", "throttled"] }
)

export const signInMetrics = [failedSignIns]

/** `SignIn`, with a count of refused sign-ins. */
export const layerWatchedSignIn = Layer.effect(
  SignIn,
  Effect.map(SignIn, (signIn) => {
    const count = (method: "password" | "oidc", reason: "refused" | "throttled") =>
      Metric.update(failedSignIns.of({ method, reason }), 1)
    return SignIn.of({
      ...signIn,
      withPassword: (...input) =>
        Effect.tapError(signIn.withPassword(...input), ({ _tag }) => {
          if (_tag === "SignInRefused") return count("password", "refused")
          return _tag === "SignInThrottled" ? count("password", "throttled") : Effect.void
        }),
      withIdentity: (...input) => Effect.tapError(signIn.withIdentity(...input), () => count("oidc", "refused"))
    })
  })
)
