import { Result } from "effect"
import { optional, secretFile, setting } from "./setting.ts"
import { durationOf, httpUrl, onOff, type Parse, text } from "./values.ts"

/** Not quoted in the refusal: it may hold a password. */
const smtpUrl: Parse<string> = (written) => {
  const url = URL.canParse(written) ? new URL(written) : undefined
  const isOne = url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && /^\/?$/.test(url.pathname)
  return isOne && /^(?:\?starttls=off)?$/.test(url.search)
    ? Result.succeed(written)
    : Result.fail(
        "must be an smtp or smtps URL, such as smtps://user:password@mail.example, or smtp://relay:25?starttls=off"
      )
}

const mailAddress: Parse<string> = (written) =>
  /^(?:[^<>\r\n]+ )?<?[^\s@<>]+@[^\s@<>]+>?$/u.test(written)
    ? Result.succeed(written)
    : Result.fail(`must be an e-mail address, such as Tapedeck <tapedeck@mail.example>, not ${written}`)

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
  }),
  smtp_url: optional({
    value: "URL",
    says: "the mail server that brings invitations and links for forgotten passwords",
    parse: smtpUrl,
    initially: "none",
    secret: true
  }),
  smtp_url_file: secretFile("a file with its URL"),
  mail_from: optional({
    value: "ADDRESS",
    says: "whom mail is from",
    parse: mailAddress,
    initially: "none"
  }),
  oidc_issuer: optional({
    value: "URL",
    says: "an OpenID Connect provider that people sign in with",
    parse: httpUrl,
    initially: "none"
  }),
  oidc_client_id: optional({ value: "ID", says: "what this server is called there", parse: text, initially: "none" }),
  oidc_client_secret: optional({
    value: "SECRET",
    says: "and its secret there",
    parse: text,
    initially: "none",
    secret: true
  }),
  oidc_client_secret_file: secretFile("a file with it"),
  oidc_name: setting({
    value: "NAME",
    says: "what people know the provider by",
    parse: text,
    initial: "single sign-on"
  })
}

interface SigningIn {
  readonly password_sign_in: boolean
  readonly smtp_url: string | undefined
  readonly mail_from: string | undefined
  readonly oidc_issuer: string | undefined
  readonly oidc_client_id: string | undefined
  readonly oidc_client_secret: string | undefined
}

const isLocal = (url: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

/** What is wrong with settings together, each line naming its variables. */
export const signingInProblems = (config: SigningIn): ReadonlyArray<string> => {
  const { oidc_client_id, oidc_client_secret, oidc_issuer } = config
  return [
    ...((config.smtp_url === undefined) === (config.mail_from === undefined)
      ? []
      : ["TAPEDECK_SMTP_URL and TAPEDECK_MAIL_FROM: set both, or neither"]),
    ...((oidc_issuer === undefined) === (oidc_client_id === undefined)
      ? []
      : ["TAPEDECK_OIDC_ISSUER and TAPEDECK_OIDC_CLIENT_ID: set both, or neither"]),
    ...(oidc_client_secret !== undefined && oidc_client_id === undefined
      ? ["TAPEDECK_OIDC_CLIENT_SECRET: set TAPEDECK_OIDC_ISSUER and TAPEDECK_OIDC_CLIENT_ID too"]
      : []),
    ...(oidc_issuer?.startsWith("http:") && !isLocal(oidc_issuer)
      ? ["TAPEDECK_OIDC_ISSUER: must be https, but for this machine"]
      : []),
    ...(!config.password_sign_in && oidc_issuer === undefined
      ? ["TAPEDECK_PASSWORD_SIGN_IN: off without TAPEDECK_OIDC_ISSUER lets nobody in"]
      : [])
  ]
}
