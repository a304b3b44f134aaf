import { setting } from "./setting.ts"
import { durationOf, onOff } from "./values.ts"

/** Who gets in, by a browser, and for how long. */
export const signingIn = {
  password_sign_in: setting({
    value: "on|off",
    says: "whether people sign in with a password",
    parse: onOff,
    initial: true,
    initially: "on"
  }),
  session_idle: setting({
    value: "DURATION",
    says: "how long a session lasts that is not used",
    parse: durationOf,
    initial: 12 * 3_600_000,
    initially: "PT12H"
  }),
  session_lifetime: setting({
    value: "DURATION",
    says: "how long a session lasts at most",
    parse: durationOf,
    initial: 7 * 24 * 3_600_000,
    initially: "P7D"
  })
}
