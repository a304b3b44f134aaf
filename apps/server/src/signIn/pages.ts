import type { ListedSession } from "@tapedeck/core"
import { toIso, type User } from "@tapedeck/domain"
import type { LinkPurpose } from "@tapedeck/domain/internal/people"
import { escapeHtml, isolated } from "@tapedeck/http"
import { style } from "./style.ts"

/** A message above a page's form. */
export interface Notice {
  readonly kind: "good" | "bad"
  readonly text: string
}

/** The content of a page. Its addresses are relative to the server's base path. */
export interface Page {
  readonly title: string
  readonly body: string
  readonly notice?: Notice | undefined
  readonly isWide?: boolean
}

/** The document of a page, for a server whose product is below `basePath`. */
export const documentOf = ({ body, isWide = false, notice, title }: Page, basePath: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="${escapeHtml(basePath)}/">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title dir="auto">${escapeHtml(title)} – Tapedeck</title>
<style>${style}</style>
</head>
<body>
<main${isWide ? ' class="wide"' : ""}>
<h1 dir="auto">${escapeHtml(title)}</h1>
${notice === undefined ? "" : `<p class="${notice.kind}" role="${notice.kind === "bad" ? "alert" : "status"}" dir="auto">${escapeHtml(notice.text)}</p>`}
${body}
</main>
</body>
</html>
`

interface Field {
  readonly label: string
  readonly name: string
  readonly type: "email" | "password" | "text"
  readonly autocomplete: string
  readonly value?: string | undefined
}

const field = ({ autocomplete, label, name, type, value }: Field): string => {
  const written = value === undefined || value === "" ? "" : ` value="${escapeHtml(value)}"`
  return `<label>${escapeHtml(label)}<input name="${name}" type="${type}" autocomplete="${autocomplete}"${type === "text" ? ' dir="auto"' : ""} required${written}></label>`
}

const hidden = (name: string, value: string): string =>
  `<input name="${name}" type="hidden" value="${escapeHtml(value)}">`

const form = (action: string, inner: ReadonlyArray<string>): string =>
  `<form method="post" action="${action}">${inner.join("\n")}</form>`

const newPassword = (label: string): Field => ({
  label: `${label} (at least 12 characters)`,
  name: "password",
  type: "password",
  autocomplete: "new-password"
})

const emailField = (value?: string): Field => ({
  label: "E-mail",
  name: "email",
  type: "email",
  autocomplete: "username",
  value
})

/** The user name, for password managers; it is not sent. */
const owner = (email: string): string =>
  `<input type="email" autocomplete="username" value="${escapeHtml(email)}" readonly hidden>`

/** The available ways to sign in. */
export interface Ways {
  readonly passwords: boolean
  /** The name of the OpenID Connect provider; null if none is set. */
  readonly provider: string | null
  /** True if a forgotten password can be reset by mail. */
  readonly mail: boolean
}

export const signInPage = (
  ways: Ways,
  { email, next, notice }: { readonly email?: string; readonly next: string; readonly notice?: Notice | undefined }
): Page => {
  const query = next === "" ? "" : `?next=${encodeURIComponent(next)}`
  const byPassword = form("sign-in", [
    field(emailField(email)),
    field({ label: "Password", name: "password", type: "password", autocomplete: "current-password" }),
    hidden("next", next),
    "<button>Sign in</button>"
  ])
  const byProvider =
    ways.provider === null
      ? ""
      : `<a class="button${ways.passwords ? " plain" : ""}" href="sign-in/oidc${query}">Sign in with ${isolated(ways.provider)}</a>`
  const forgotten = ways.mail
    ? '<p class="foot"><a href="sign-in/forgotten">Forgot your password?</a></p>'
    : '<p class="foot">Forgot your password? An admin of your account can make a link to set a new one.</p>'
  const both = ways.passwords && ways.provider !== null ? '<p class="or">or</p>' : ""
  return {
    title: "Sign in",
    notice,
    body: `<section>${ways.passwords ? byPassword : ""}${both}${byProvider}</section>${ways.passwords ? forgotten : ""}`
  }
}

/** The previous input, without the password. */
export interface SetupValues {
  readonly account?: string | undefined
  readonly name?: string | undefined
  readonly email?: string | undefined
}

export const linkPage = (
  link: { readonly token: string; readonly purpose: LinkPurpose; readonly user: User | null },
  { notice, values = {} }: { readonly notice?: Notice | undefined; readonly values?: SetupValues }
): Page => {
  const { token, user } = link
  if (user === null) {
    return {
      title: "Set up Tapedeck",
      notice,
      body: `<p>No admin exists yet. Create the first one.</p><section>${form("sign-in/link", [
        hidden("token", token),
        field({
          label: "Account name",
          name: "account",
          type: "text",
          autocomplete: "organization",
          value: values.account
        }),
        field({ label: "Your name", name: "name", type: "text", autocomplete: "name", value: values.name }),
        field(emailField(values.email)),
        field(newPassword("Password")),
        "<button>Set up and sign in</button>"
      ])}</section>`
    }
  }
  const isFor = `<p>For ${isolated(user.name)}, ${isolated(user.email)}.</p>`
  if (link.purpose === "sign_in") {
    const signIn = form("sign-in/link", [hidden("token", token), "<button>Sign in</button>"])
    return { title: "Sign in to Tapedeck", notice, body: `${isFor}<section>${signIn}</section>` }
  }
  return {
    title: link.purpose === "invitation" ? "Welcome to Tapedeck" : "Set a new password",
    notice,
    body: `${isFor}<section>${form("sign-in/link", [
      hidden("token", token),
      owner(user.email),
      field(newPassword("Password")),
      "<button>Set the password and sign in</button>"
    ])}</section>`
  }
}

export const forgottenPage = (notice?: Notice): Page => ({
  title: "Forgot your password?",
  notice,
  body: `<section>${form("sign-in/forgotten", [
    field(emailField()),
    "<button>Send a link</button>"
  ])}</section><p class="foot"><a href="sign-in">Back to sign in</a></p>`
})

export const messagePage = (title: string, text: string): Page => ({
  title,
  notice: { kind: "bad", text },
  body: '<p class="foot"><a href="sign-in">Sign in</a></p>'
})

const methods = { password: "with a password", oidc: "by the provider", link: "with a link" } as const

const minuteOf = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`

const sessionItem = ({ isCurrent, session }: ListedSession): string => `<li class="row">
<div>
<p class="facts name" dir="auto">${escapeHtml(session.userAgent ?? "Unknown browser")}</p>
<p class="facts">${[
  `signed in ${methods[session.method]} ${minuteOf(toIso(session.createdAt))}`,
  `last used ${minuteOf(toIso(session.seenAt))}`,
  ...(session.ipAddress === null ? [] : [`from ${escapeHtml(session.ipAddress)}`])
].join(" · ")}</p>
</div>
${isCurrent ? "<strong>this browser</strong>" : form("sign-in/sessions/end", [hidden("id", session.id), '<button class="small plain">End</button>'])}
</li>`

export const accountPage = (
  signedIn: { readonly user: User; readonly account: { readonly name: string } },
  about: {
    readonly sessions: ReadonlyArray<ListedSession>
    readonly hasPassword: boolean
    readonly notice?: Notice | undefined
  }
): Page => ({
  title: signedIn.user.name,
  isWide: true,
  notice: about.notice,
  body: `<div class="row"><p>${isolated(signedIn.user.email)} · ${isolated(signedIn.account.name)} · ${signedIn.user.role}</p>
${form("sign-in/sign-out", ['<button class="small plain">Sign out</button>'])}</div>
<section><h2>Where you are signed in</h2><ul>${about.sessions.map(sessionItem).join("\n")}</ul>
${about.sessions.length > 1 ? form("sign-in/sessions/end-others", ['<button class="small plain">End all others</button>']) : ""}</section>
${about.hasPassword ? passwordForm(signedIn.user.email) : ""}`
})

const passwordForm = (email: string): string =>
  `<section><h2>Change your password</h2>${form("sign-in/password", [
    owner(email),
    field({ label: "Current password", name: "current_password", type: "password", autocomplete: "current-password" }),
    field(newPassword("New password")),
    "<button>Change password</button>"
  ])}<p class="foot">This ends all your other sessions.</p></section>`
