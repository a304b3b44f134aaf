import { afterAll, beforeAll, expect, test } from "vitest"
import { startPostgres, type TestPostgres } from "../../src/postgres/index.ts"
import { type Folder, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"
import { listenIn } from "./statements.ts"

let postgres: TestPostgres
let folder: Folder
beforeAll(async () => {
  postgres = await startPostgres()
  folder = await temporaryFolder()
})
afterAll(async () => {
  await postgres.close()
  await folder.remove()
})

/** So many recordings, each with an owner and a folder of its own. */
const documentOf = (count: number) => {
  const names = Array.from({ length: count }, (_, index) => `n${index}`)
  return {
    config: { page_size: 100 },
    users: [
      { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" },
      ...names.map((name) => ({ email: `${name}@acme.test`, name, role: "member" }))
    ],
    folders: names.map((name) => ({ id: name, name })),
    recordings: names.map((name) => ({ title: name, user: `${name}@acme.test`, folder: name, duration: 3 }))
  }
}

interface Document {
  readonly servers: readonly [{ readonly url: string }]
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters?: ReadonlyArray<{ readonly name: string }> } }>
  >
}

/** For sessions only, and of one user: recordings do not change it. */
const ofSessions = ["/api/settings/tokens"]

/** The paths of all lists: they have a `page`, and none of them is one of a single record. */
const listsOf = ({ paths, servers: [{ url }] }: Document): ReadonlyArray<string> =>
  Object.entries(paths)
    .flatMap(([path, { get }]) =>
      get?.parameters?.some(({ name }) => name === "page") === true && !path.includes("{")
        ? [`${new URL(url, "http://x").pathname}${path}`]
        : []
    )
    .filter((path) => !ofSessions.includes(path))

const tries = 5

/** A statement whose text is the same however many keys it looks up. */
const ofAnySize = (text: string) => text.replace(/\$\d+(?:, \$\d+)*/g, "?")

/**
 * The statements of a request and how often each is executed. What the server does besides is in between: so the smallest number
 * of some tries counts.
 */
const statementsOf = async (executed: Array<string>, request: () => Promise<void>) => {
  const counts: Array<Map<string, number>> = []
  for (let attempt = 0; attempt < tries; attempt++) {
    executed.length = 0
    await request()
    const count = new Map<string, number>()
    for (const text of executed) count.set(ofAnySize(text), (count.get(ofAnySize(text)) ?? 0) + 1)
    counts.push(count)
  }
  const texts = [...counts[0]!.keys()].filter((text) => counts.every((count) => count.has(text)))
  return Object.fromEntries(texts.map((text) => [text, Math.min(...counts.map((count) => count.get(text)!))]))
}

/** The statements of each list in a database with so many recordings. */
const statementsWith = async (count: number) => {
  const heard = await listenIn((await postgres.createDatabase()).url)
  const file = await folder.write(`fixtures-${count}.json`, JSON.stringify(documentOf(count)))
  const data = `${folder.path}/data-${count}`
  const args = ["serve", "--port", "0", "--data", data, "--fixtures", file, "--ffmpeg", "off", "--json"]
  const server = await startProcess<{ base_url: string }>(serverMain, args, { TAPEDECK_DATABASE_URL: heard.url })
  const ask = async (path: string) => {
    const answer = await fetch(`${server.ready.base_url}${path}`, { headers: { authorization: "Bearer ada-token" } })
    return { status: answer.status, body: await answer.json() }
  }
  const documents = await Promise.all(["v2", "v1", "settings"].map((api) => ask(`/api/${api}/openapi.json`)))
  const lists = documents.flatMap(({ body }) => listsOf(body as Document))
  const found: Record<string, Readonly<Record<string, number>>> = {}
  for (const path of lists) {
    found[path] = await statementsOf(heard.executed, async () => {
      expect([path, (await ask(path)).status]).toEqual([path, 200])
    })
  }
  await server.stop()
  heard.close()
  return found
}

test("a list has the same number of statements with 1, 10 and 100 recordings, each with an owner of its own", async () => {
  const one = await statementsWith(1)
  expect(Object.keys(one)).toEqual(expect.arrayContaining(["/api/v2/recordings", "/api/settings/recordings"]))
  for (const statements of Object.values(one)) expect(statements).not.toEqual({})
  expect(await statementsWith(10)).toEqual(one)
  expect(await statementsWith(100)).toEqual(one)
})
