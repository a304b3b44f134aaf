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
  private readonly accounts: ReadonlyArray<number>
  /** Creates an admin of the account, and returns the token of the link that signs them in. */
  private readonly adminLink: (account: number) => Promise<string>
  private readonly sessions = new Map<string, Promise<Call>>()
  private readonly users = new Map<number, Promise<ReadonlyMap<string, readonly [user: Listed, admin: Call]>>>()

  constructor(baseUrl: string, accounts: ReadonlyArray<number>, adminLink: (account: number) => Promise<string>) {
    this.baseUrl = baseUrl
    this.accounts = accounts
    this.adminLink = adminLink
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
    for (const account of this.accounts) {
      const found = (await this.usersOf(account)).get(email)
      if (found === undefined) continue
      const [user, admin] = found
      const path = `/api/settings/users/${user.id}/password-link`
      const { url } = bodyOf<{ url: string }>(await call(this.baseUrl, path, { method: "POST", ...admin }), 201)
      return this.use(tokenOf(url))
    }
    throw new Error(`${email} is not a user of the server's accounts ${this.accounts.join(", ")}`)
  }

  /** The users of an account by their e-mail addresses, as they are when the first of them signs in. */
  private usersOf(account: number) {
    const users = this.users.get(account) ?? this.list(account)
    this.users.set(account, users)
    return users
  }

  private async list(account: number): Promise<ReadonlyMap<string, readonly [Listed, Call]>> {
    const admin = await this.use(await this.adminLink(account))
    const answer = await call(this.baseUrl, "/api/settings/users", admin)
    const { users } = bodyOf<{ users: ReadonlyArray<Listed> }>(answer)
    return new Map(users.map((user) => [user.email, [user, admin]]))
  }

  private async use(token: string): Promise<Call> {
    const origin = { origin: this.baseUrl }
    const json = { token, password }
    const answer = await call(this.baseUrl, "/api/settings/sign-in/link", { method: "POST", headers: origin, json })
    bodyOf(answer)
    return { headers: { ...origin, cookie: (answer.header("set-cookie") ?? "").split(";", 1)[0] } }
  }
}
