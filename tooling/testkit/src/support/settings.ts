import type { World } from "./emulator.ts"
import type { Answer, Call } from "./http.ts"
import { bodyOf } from "./target.ts"

export type Json = Readonly<Record<string, unknown>>

/** The settings API of a world, as somebody who is signed in. */
export class Settings {
  private readonly world: World
  private readonly token: string

  constructor(world: World, token: string) {
    this.world = world
    this.token = token
  }

  ask(method: string, path: string, init: Call = {}): Promise<Answer> {
    return this.world.fetch(`/api/settings${path}`, { method, token: this.token, ...init })
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

/** Signs a user in by the control plane, and answers the settings API as they see it. */
export const signIn = async (world: World, email: string): Promise<Settings> => {
  const { token } = bodyOf<{ token: string }>(await world.post("/sessions", { user: email }), 201)
  return new Settings(world, token)
}
