import { type Call, call } from "./http.ts"
import { bodyOf } from "./target.ts"

const password = "correct horse battery staple"

/** The token of a link that sets a password. */
export const tokenOf = (url: string): string => new URL(url).searchParams.get("token") ?? ""

interface Listed {
  readonly id: number
  readonly email: string
}

/** Signs users of a server in: an admin of each account by the link of the command, the others by that admin's links. */
export class SignIns {
  private readonly baseUrl: string
  /** By account: the token of its admin's link. */
  private readonly links: ReadonlyMap<number, string>
  private readonly sessions = new Map<string, Promise<Call>>()
  private users: Promise<ReadonlyMap<string, readonly [user: Listed, admin: Call]>> | undefined

  constructor(baseUrl: string, links: ReadonlyMap<number, string>) {
    this.baseUrl = baseUrl
    this.links = links
  }

  /** What a request of this user carries, signed in once. */
  of(email: string): Promise<Call> {
    const known = this.sessions.get(email)
    if (known !== undefined) return known
    const session = this.signIn(email)
    this.sessions.set(email, session)
    return session
  }

  private async signIn(email: string): Promise<Call> {
    this.users ??= this.list()
    const found = (await this.users).get(email)
    if (found === undefined) throw new Error(`${email} cannot sign in here: the server was started without withSignIn`)
    const [user, admin] = found
    const path = `/api/settings/users/${user.id}/password-link`
    const { url } = bodyOf<{ url: string }>(await call(this.baseUrl, path, { method: "POST", ...admin }), 201)
    return this.use(tokenOf(url))
  }

  private async list() {
    const users = new Map<string, readonly [Listed, Call]>()
    for (const link of this.links.values()) {
      const admin = await this.use(link)
      const answer = await call(this.baseUrl, "/api/settings/users", admin)
      for (const user of bodyOf<{ users: ReadonlyArray<Listed> }>(answer).users) users.set(user.email, [user, admin])
    }
    return users
  }

  private async use(token: string): Promise<Call> {
    const origin = { origin: this.baseUrl }
    const json = { token, password }
    const answer = await call(this.baseUrl, "/api/settings/sign-in/link", { method: "POST", headers: origin, json })
    bodyOf(answer)
    return { headers: { ...origin, cookie: (answer.header("set-cookie") ?? "").split(";", 1)[0] } }
  }
}
