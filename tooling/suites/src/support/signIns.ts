import { expect } from "vitest"
import { type Call, call } from "./http.ts"

/** The token of a link. */
export const tokenOf = (url: string): string => new URL(url).searchParams.get("token") ?? ""

/** Signs users of a server in by links of its command, which need no password: hashing one takes twice as long as the command. */
export class SignIns {
  private readonly baseUrl: string
  /** Returns the token of a link that signs the user of this e-mail address in. */
  private readonly linkOf: (email: string) => Promise<string>
  private readonly sessions = new Map<string, Promise<Call>>()

  constructor(baseUrl: string, linkOf: (email: string) => Promise<string>) {
    this.baseUrl = baseUrl
    this.linkOf = linkOf
  }

  /** What a request of this user carries, signed in once. */
  of(email: string): Promise<Call> {
    const session = this.sessions.get(email) ?? this.signIn(email)
    this.sessions.set(email, session)
    return session
  }

  private async signIn(email: string): Promise<Call> {
    const origin = { origin: this.baseUrl }
    const form = { ...origin, "content-type": "application/x-www-form-urlencoded" }
    const body = new URLSearchParams({ token: await this.linkOf(email) }).toString()
    const answer = await call(this.baseUrl, "/sign-in/link", { method: "POST", headers: form, body })
    expect(answer.status, String(answer)).toBe(303)
    return { headers: { ...origin, cookie: (answer.header("set-cookie") ?? "").split(";", 1)[0] } }
  }
}
