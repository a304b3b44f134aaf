import { optional, type Problem, secretFile } from "./setting.ts"
import { proxyUrl, text } from "./values.ts"

/** Settings of the proxy for webhooks. */
export const proxy = {
  proxy: optional({
    value: "URL",
    description: "an HTTP proxy for webhooks",
    details: "The environment's proxy variables are not used.",
    parse: proxyUrl,
    initially: "none"
  }),
  proxy_password: optional({
    value: "SECRET",
    description: "the password of the user in the proxy's URL",
    parse: text,
    initially: "none",
    secret: true
  }),
  proxy_password_file: secretFile("a file with it")
}

type ProxyConfig = { readonly [Name in keyof typeof proxy]: (typeof proxy)[Name]["initial"] }

/** Errors of combinations of settings. `option` is the value on the command line, which other users see in a list of processes. */
export const proxyProblems = (
  { proxy, proxy_password }: ProxyConfig,
  option: string | undefined
): ReadonlyArray<Problem<keyof ProxyConfig>> => {
  const { password, username } = proxy === undefined ? { password: "", username: "" } : new URL(proxy)
  if (option !== undefined && password !== "") {
    const elsewhere = "TAPEDECK_PROXY_PASSWORD or TAPEDECK_PROXY_PASSWORD_FILE"
    return [
      {
        names: ["proxy"],
        text: `must not contain a password, because the list of processes shows it: set ${elsewhere}`
      }
    ]
  }
  if (proxy_password === undefined) return []
  const names = ["proxy_password", "proxy"] as const
  if (username === "") {
    return [{ names, text: "the password needs a user in the URL, such as http://user@proxy.internal:3128" }]
  }
  return password === "" ? [] : [{ names, text: "both contain a password: set one of them" }]
}

/** The proxy's URL with its password. */
export const proxyWithPassword = ({ proxy, proxy_password }: ProxyConfig): string | undefined => {
  if (proxy === undefined || proxy_password === undefined) return proxy
  const url = new URL(proxy)
  url.password = encodeURIComponent(proxy_password)
  return url.href
}
