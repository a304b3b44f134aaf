import type { Answer, Call } from "./http.ts"
import { bodyOf, type Running } from "./target.ts"

export type Json = Readonly<Record<string, unknown>>

/** The settings API, with the credentials of one user. */
export class Settings {
  private readonly running: Running
  private readonly credentials: Call

  constructor(running: Running, credentials: Call) {
    this.running = running
    this.credentials = credentials
  }

  ask(method: string, path: string, init: Call = {}): Promise<Answer> {
    const headers = { ...this.credentials.headers, ...init.headers }
    return this.running.fetch(`/api/settings${path}`, { method, ...this.credentials, ...init, headers })
  }

  async get<T = Json>(path: string): Promise<T> {
    return bodyOf<T>(await this.ask("GET", path))
  }

  /** What a call that makes something answers: 201. */
  async make<T = Json>(path: string, json?: unknown): Promise<T> {
    return bodyOf<T>(await this.ask("POST", path, { json }), 201)
  }

  /** What a call that does something answers: 200. */
  async act<T = Json>(method: string, path: string, json?: unknown): Promise<T> {
    return bodyOf<T>(await this.ask(method, path, { json }))
  }

  async remove(path: string): Promise<void> {
    bodyOf204(await this.ask("DELETE", path))
  }
}

const bodyOf204 = (answer: Answer) => {
  if (answer.status !== 204 || answer.body.length > 0) throw new Error(String(answer))
}

/** Signs a user in, and answers the settings API with their session. */
export const signIn = async (running: Running, email: string): Promise<Settings> =>
  new Settings(running, await running.credentials(email))
