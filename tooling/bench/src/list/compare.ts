import { tokens } from "./fixtures.ts"

/**
 * Sees that the servers do the same work: the same bytes for the same pages, 401 without a token, and a PATCH that
 * shows in the next read. Throws where one does not.
 */
export const comparePeers = async (ports: Readonly<Record<string, number>>): Promise<void> => {
  const names = Object.keys(ports)
  const request = (name: string, path: string, token: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${ports[name]}/api/v2/recordings${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
    })

  const sameEverywhere = async (path: string, token: string): Promise<string> => {
    const bodies = await Promise.all(names.map(async (name) => (await request(name, path, token)).text()))
    const [first = ""] = bodies
    for (const [index, body] of bodies.entries()) {
      if (body !== first)
        throw new Error(`${path}: ${names[index]} and ${names[0]} answer differently:\n${body}\n${first}`)
    }
    return first
  }

  for (const name of names) {
    const { status } = await request(name, "", "unknown-token")
    if (status !== 401) throw new Error(`${name} answers ${status} to an unknown token`)
  }
  for (const path of ["", "?page=2", "?page=17", "?page=1000"]) {
    for (const token of Object.values(tokens)) await sameEverywhere(path, token)
  }

  const { records } = JSON.parse(await sameEverywhere("?page=3", tokens.admin)) as {
    readonly records: ReadonlyArray<{ readonly uuid: string }>
  }
  const { uuid } = records[1]!
  for (const name of names) {
    const body = JSON.stringify({ recording: { title: "Retitled between two reads" } })
    const changed = await request(name, `/${uuid}`, tokens.admin, { method: "PATCH", body })
    await changed.body?.cancel()
    const page = await (await request(name, "?page=3", tokens.admin)).text()
    if (!changed.ok || !page.includes("Retitled between two reads")) {
      throw new Error(`${name}: a PATCH (${changed.status}) does not show in the next read`)
    }
  }
}
