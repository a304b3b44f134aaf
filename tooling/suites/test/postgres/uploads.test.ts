import { join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startPostgres, type TestDatabases } from "../../src/postgres/index.ts"
import { temporaryFolder } from "../../src/support/process.ts"
import { serve, tapedeck } from "../../src/support/tapedeck.ts"
import { webm } from "../../src/support/webm.ts"

/** Uploads in parts of which each node, and each store, knows as much as the others. */

let postgres: TestDatabases
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

const recording = "00000000-0000-4000-8000-000000000001"
const members = "00000000-0000-4000-8000-000000000002"
const video = webm(300_000)
const tus = { "tus-resumable": "1.0.0", authorization: "Bearer ada-token" }

type Node = Awaited<ReturnType<typeof serve>>

const ask = ({ ready }: Node, method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) =>
  fetch(`${ready.base_url}${path}`, {
    method,
    headers: { ...tus, ...headers },
    ...(body !== undefined && { body: new Uint8Array(body) })
  })

const begin = async (node: Node) => {
  const length = { "upload-length": String(video.length) }
  const answer = await ask(node, "POST", `/api/settings/recordings/${recording}/uploads`, length)
  expect(answer.status).toBe(201)
  return answer.headers.get("location")!
}

const append = (node: Node, path: string, from: number, to: number) => {
  const headers = { "upload-offset": String(from), "content-type": "application/offset+octet-stream" }
  return ask(node, "PATCH", path, headers, video.subarray(from, to))
}

const offsetAt = async (node: Node, path: string) =>
  Number((await ask(node, "HEAD", path)).headers.get("upload-offset"))

const downloaded = async (node: Node) => {
  const answer = await ask(node, "GET", `/api/settings/recordings/${recording}/video`)
  return Buffer.from(await answer.arrayBuffer())
}

const makePlace = async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const users = [
    { name: "Ada", email: "ada@acme.test", role: "admin", token: "ada-token" },
    { name: "Bob", email: "bob@acme.test", role: "member", token: "bob-token" }
  ]
  const recordings = [
    { uuid: recording, user: "ada@acme.test" },
    { uuid: members, user: "bob@acme.test" }
  ]
  return { folder, fixtures: await folder.write("fixtures.json", JSON.stringify({ users, recordings })) }
}

test("an upload that was started at one of three nodes goes on at the others after kill -9, with the same bytes", async () => {
  const { fixtures, folder } = await makePlace()
  const { url } = await postgres.createDatabase()
  const data = join(folder.path, "data")
  const node = (...more: ReadonlyArray<string>) => serve({ TAPEDECK_DATABASE_URL: url }, "--data", data, ...more)
  const first = await node("--fixtures", fixtures)
  const [second, third] = [await node(), await node()]
  const path = await begin(first)
  expect((await append(first, path, 0, 100_000)).status).toBe(204)
  process.kill(first.pid, "SIGKILL")
  expect(await offsetAt(second, path)).toBe(100_000)
  expect((await append(second, path, 100_000, 200_000)).status).toBe(204)
  expect((await append(third, path, 100_000, 200_000)).status).toBe(409)
  // The last bytes at both nodes at once: one of them completes the upload.
  const last = await Promise.all([second, third].map((one) => append(one, path, 200_000, 300_000)))
  expect(last.map(({ status }) => status).toSorted()).toEqual([204, 409])
  expect(await offsetAt(third, path)).toBe(300_000)
  for (const one of [second, third]) expect((await downloaded(one)).equals(video)).toBe(true)
  const entries = await ask(third, "GET", "/api/settings/audit-entries?event_type=recording.updated")
  expect(((await entries.json()) as { pagination: { count: number } }).pagination.count).toBe(1)
})

test("the quota of uploads in progress holds for concurrent requests at two nodes", async () => {
  const { fixtures, folder } = await makePlace()
  const { url } = await postgres.createDatabase()
  const node = (...more: ReadonlyArray<string>) =>
    serve({ TAPEDECK_DATABASE_URL: url }, "--data", join(folder.path, "data"), "--quota-uploads", "3", ...more)
  const nodes = [await node("--fixtures", fixtures), await node()]
  const member = { authorization: "Bearer bob-token", "upload-length": "100" }
  const place = `/api/settings/recordings/${members}/uploads`
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(nodes[n % 2]!, "POST", place, member)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, ...Array<number>(9).fill(409)])
})

test("an upload in progress goes on after a move from SQLite to PostgreSQL", async () => {
  const { fixtures, folder } = await makePlace()
  const { url } = await postgres.createDatabase()
  const data = join(folder.path, "data")
  const before = await serve({}, "--data", data, "--fixtures", fixtures)
  const path = await begin(before)
  expect((await append(before, path, 0, 100_000)).status).toBe(204)
  await before.stop()
  const there = { TAPEDECK_DATABASE_URL: url }
  expect(await tapedeck({ ...there, TAPEDECK_DATA: data }, "migrate", "--from", `sqlite:${data}`)).toMatchObject({
    code: 0
  })
  const after = await serve(there, "--data", data)
  expect(await offsetAt(after, path)).toBe(100_000)
  expect((await append(after, path, 100_000, 300_000)).status).toBe(204)
  expect((await downloaded(after)).equals(video)).toBe(true)
})
