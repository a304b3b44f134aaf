import { inject } from "vitest"
import { team } from "./open.ts"

interface Answer {
  readonly token: string
  readonly url: string
  readonly records: ReadonlyArray<{ readonly uuid: string; readonly title: string; readonly description: string }>
  readonly deliveries: ReadonlyArray<unknown>
  readonly size_bytes: number
}

/** A world with a capture link, and calls of its API by an admin. */
export const madeLink = async (link: object) => {
  const call = async (method: string, url: string, body?: unknown, token = ""): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<Answer>
  }
  const world = (await call("POST", `${inject("emulator")}/_emulator/worlds`, { fixtures: team })) as unknown as {
    readonly base_url: string
    readonly control_url: string
    readonly tokens: Readonly<Record<string, string>>
  }
  const session = await call("POST", `${world.control_url}/sessions`, { user: "ada@acme.test" })
  const settings = (method: string, path: string, body?: unknown) =>
    call(method, `${world.base_url}/api/settings${path}`, body, session.token)
  const { url } = await settings("POST", "/capture-links", link)
  return {
    address: `${world.base_url}/c/${url.split("/c/")[1]}`,
    settings,
    received: async () => {
      const { records } = await settings("GET", "/recordings?type=Received&sort=-created_at")
      return records
    },
    videoOf: async (uuid: string): Promise<Uint8Array> => {
      const headers = { authorization: `Bearer ${world.tokens["ada@acme.test"]}` }
      const response = await fetch(`${world.base_url}/api/v2/recordings/${uuid}/download`, { headers })
      return new Uint8Array(await response.arrayBuffer())
    }
  }
}
