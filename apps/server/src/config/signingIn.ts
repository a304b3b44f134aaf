import { Result } from "effect"
import { bothOrNeither, optional, type Problem, secretFile, setting, variableOf } from "./setting.ts"
import { durationOf, httpUrl, onOff, type Parse, text } from "./values.ts"

/** The failure does not contain the value, because it may contain a password. */
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

/** A name with at most 253 characters, or an address in brackets (RFC 5321 §4.1.3). */
const greetingName: Parse<string> = (written) =>
  /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\]|\[IPv6:[\da-f:.]{2,45}\])$/i.test(written)
    ? Result.succeed(written)
    : Result.fail(
        "must be the name of a host, such as tapedeck.acme.example, of at most 253 characters, or an address in brackets"
      )

/** Settings of sessions, passwords, mail and OpenID Connect. */
export const signingIn = {
  password_sign_in: setting({
    value: "on|off",
    description: "whether people sign in with a password",
    details: "See [Signing in](operating.md#signing-in).",
    parse: onOff,
    initial: true,
    initially: "on"
  }),
  session_idle: setting({
    value: "DURATION",
    description: "maximum idle time of a session",
    parse: durationOf,
    initial: 12 * 3_600_000,
    initially: "PT12H"
  }),
  session_lifetime: setting({
    value: "DURATION",
    description: "maximum time of a session",
    parse: durationOf,
    initial: 7 * 24 * 3_600_000,
    initially: "P7D"
  }),
  smtp_url: optional({
    value: "URL",
    description: "the mail server for invitations, password links and notifications",
    parse: smtpUrl,
    initially: "none",
    secret: true
  }),
  smtp_url_file: secretFile("a file with its URL"),
  mail_from: optional({
    value: "ADDRESS",
    description: "the sender of mail",
    parse: mailAddress,
    initially: "none"
  }),
  smtp_name: optional({
    value: "NAME",
    description: "name of this server for the mail server (EHLO)",
    details: "A host name of at most 253 characters, or an address in brackets.",
    parse: greetingName,
    initially: "the host of the public URL"
  }),
  oidc_issuer: optional({
    value: "URL",
    description: "an OpenID Connect provider for sign-in",
    parse: httpUrl,
    initially: "none"
  }),
  oidc_client_id: optional({ value: "ID", description: "client ID of this server", parse: text, initially: "none" }),
  oidc_client_secret: optional({
    value: "SECRET",
    description: "client secret of this server",
    parse: text,
    initially: "none",
    secret: true
  }),
  oidc_client_secret_file: secretFile("a file with it"),
  oidc_name: setting({
    value: "NAME",
    description: "name of the provider on the sign-in page",
    parse: text,
    initial: "single sign-on"
  }),
  oidc_trust_email: setting({
    value: "on|off",
    description: "whether an address counts as verified if the provider does not state it",
    details: "See [Signing in](operating.md#signing-in).",
    parse: onOff,
    initial: false,
    initially: "off"
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

/** Errors of combinations of settings. */
export const signingInProblems = (config: SigningIn): ReadonlyArray<Problem<keyof SigningIn>> => {
  const { oidc_client_id, oidc_client_secret, oidc_issuer } = config
  const missing = (["oidc_issuer", "oidc_client_id"] as const).filter((name) => config[name] === undefined)
  return [
    ...bothOrNeither(config, "smtp_url", "mail_from"),
    ...bothOrNeither(config, "oidc_issuer", "oidc_client_id"),
    ...(oidc_client_secret !== undefined && oidc_client_id === undefined
      ? [
          {
            names: ["oidc_client_secret"] as const,
            text: `set ${missing.map(variableOf).join(" and ")} too`,
            dependsOn: ["oidc_issuer", "oidc_client_id"] as const
          }
        ]
      : []),
    ...(oidc_issuer?.startsWith("http:") && !isLocal(oidc_issuer)
      ? [{ names: ["oidc_issuer"] as const, text: "must be https, but for this machine" }]
      : []),
    ...(!config.password_sign_in && oidc_issuer === undefined
      ? [
          {
            names: ["password_sign_in"] as const,
            text: "off requires TAPEDECK_OIDC_ISSUER, or no user can sign in",
            dependsOn: ["oidc_issuer"] as const
          }
        ]
      : [])
  ]
}
