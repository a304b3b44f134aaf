import { afterAll, beforeAll, expect, test } from "vitest"
import { startPostgres, type TestDatabases, unsynced } from "../../src/postgres/index.ts"
import { type Folder, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"
import { listenIn } from "./statements.ts"

let postgres: TestDatabases
let folder: Folder
beforeAll(async () => {
  postgres = await startPostgres(unsynced)
  folder = await temporaryFolder()
})
afterAll(async () => {
  await postgres.close()
  await folder.remove()
})

const nameOf = (index: number) => `n${index}`

/**
 * So many recordings, each with an owner, a folder, an automation and a capture link of its own, and as many destinations, of which
 * one is enabled.
 */
const documentOf = (count: number) => {
  const names = Array.from({ length: count }, (_, index) => nameOf(index))
  const url = "https://hooks.example.test/tapedeck"
  return {
    config: { page_size: 100 },
    users: [
      { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" },
      ...names.map((name) => ({ email: `${name}@acme.test`, name, role: "member" }))
    ],
    folders: names.map((name) => ({ id: name, name })),
    recordings: names.map((name) => ({ title: name, user: `${name}@acme.test`, folder: name, duration: 3 })),
    automations: names.map((name) => ({ id: name, folder: name, url })),
    audit_destinations: names.map((name, index) => ({ id: name, name, url, enabled: index === 0 })),
    capture_links: names.map((name) => ({ user: `${name}@acme.test`, id: name, folder: name }))
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

/** Of one record, whose id is that of the first folder, automation and destination; a transcript belongs to one recording. */
const inAList = (path: string) => path.replace("{id}", nameOf(0))

/** The paths of all lists: they have a `page` or a `cursor`. */
const listsOf = ({ paths, servers: [{ url }] }: Document): ReadonlyArray<string> =>
  Object.entries(paths)
    .flatMap(([path, { get }]) =>
      get?.parameters?.some(({ name }) => name === "page" || name === "cursor") === true && !path.includes("{uuid}")
        ? [`${new URL(url, "http://x").pathname}${inAList(path)}`]
        : []
    )
    .filter((path) => !ofSessions.includes(path))

const tries = 3

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

/** The statements of each list in a database with so many recordings, and as many sites and deliveries. */
const statementsWith = async (count: number) => {
  const heard = await listenIn((await postgres.createDatabase()).url)
  const file = await folder.write(`fixtures-${count}.json`, JSON.stringify(documentOf(count)))
  const data = `${folder.path}/data-${count}`
  // Without a worker: deliveries stay as they are.
  const args = [
    "serve",
    "--role",
    "api",
    "--port",
    "0",
    "--data",
    data,
    "--fixtures",
    file,
    "--ffmpeg",
    "off",
    "--json"
  ]
  const server = await startProcess<{ base_url: string }>(serverMain, args, { TAPEDECK_DATABASE_URL: heard.url })
  const ask = async (path: string) => {
    const answer = await fetch(`${server.ready.base_url}${path}`, { headers: { authorization: "Bearer ada-token" } })
    return { status: answer.status, body: await answer.json() }
  }
  const create = async (path: string, body: object) => {
    const answer = await fetch(`${server.ready.base_url}/api/settings${path}`, {
      method: "POST",
      headers: { authorization: "Bearer ada-token", "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
  }
  const records = Array.from({ length: count }, async (_, index) => {
    const name = nameOf(index)
    await create("/sites", { name, origins: [`https://${name}.example.test`], folder_id: name })
    // Two deliveries: of the folder's automation, and of the audit destination.
    await create("/recordings", { title: name, user: `${name}@acme.test`, folder_id: name })
  })
  await Promise.all(records)
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

type Statements = Readonly<Record<string, Readonly<Record<string, number>>>>

const isOfDeliveries = (path: string) => path.endsWith("/deliveries")

/** Those of the lists of deliveries, or those of all others. */
const only = (found: Statements, ofDeliveries: boolean): Statements =>
  Object.fromEntries(Object.entries(found).filter(([path]) => isOfDeliveries(path) === ofDeliveries))

/** Each statement once, however often it is executed. */
const onceEach = (found: Statements): Statements =>
  Object.fromEntries(
    Object.entries(found).map(([path, counts]) => [
      path,
      Object.fromEntries(Object.keys(counts).map((key) => [key, 1]))
    ])
  )

test("a list has the same number of statements with 1 and 100 records, each with an owner and a receiver of its own", async () => {
  const one = await statementsWith(1)
  expect(Object.keys(one)).toEqual(
    expect.arrayContaining([
      "/api/v2/recordings",
      "/api/settings/recordings",
      "/api/settings/deliveries",
      "/api/settings/automations/n0/deliveries",
      "/api/settings/audit-destinations/n0/deliveries"
    ])
  )
  for (const statements of Object.values(one)) expect(statements).not.toEqual({})
  const many = await statementsWith(100)
  expect(only(many, false)).toEqual(only(one, false))
  // Bodies and attempts, which may be large, are read for 10 deliveries at a time, so 10 times for a page of 100.
  expect(onceEach(only(many, true))).toEqual(only(one, true))
  for (const counts of Object.values(only(many, true)))
    expect(Math.max(...Object.values(counts))).toBeLessThanOrEqual(10)
})
