import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { emulatorMain, type Started, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"
import type { WorldObject } from "../../src/support/shapes.ts"

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8")
const readme = read("README.md")
const firstRequests = read("docs/start.md")
const testing = read("docs/testing.md")

/** A document's code block that holds `text`, without its fences. */
const blockWith = (language: string, text: string, document: string): string => {
  const blocks = [...document.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language)
  const found = blocks.map(([, , code]) => code!).filter((code) => code.includes(text))
  expect(found, `one ${language} block with ${text}`).toHaveLength(1)
  return found[0]!
}

interface Server {
  readonly base_url: string
  readonly tokens: Readonly<Record<string, string>>
}

const startEmulator = () => startProcess<WorldObject>(emulatorMain, ["--demo", "--port", "0", "--json"])

const startServer = (data: string) =>
  startProcess<Server>(serverMain, ["serve", "--demo", "--data", data, "--port", "0", "--json"])

let emulator: Started<WorldObject>
let server: Started<Server>
let data: string
beforeAll(async () => {
  const { path } = await temporaryFolder()
  data = path
  ;[emulator, server] = await Promise.all([startEmulator(), startServer(data)])
})
afterAll(async () => {
  await Promise.all([emulator.stop(), server.stop()])
  await rm(data, { recursive: true })
})

/** Runs a block in a folder of its own, at the addresses of this test's server and emulator, one answer a line. */
const run = async (block: string, { ready } = emulator): Promise<ReadonlyArray<string>> => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-readme-"))
  const script = block
    // In one pass: the port of one address may begin as that of the other does.
    .replace(/http:\/\/127\.0\.0\.1:40([12])0\b/g, (_, kind) => (kind === "1" ? ready : server.ready).base_url)
    .replace("tdk_…", server.ready.tokens["ada@acme.test"]!)
    .replace(/^curl .*$/gm, "$&\necho")
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: folder })
  await rm(folder, { recursive: true })
  return stdout.split("\n").filter((line) => line !== "")
}

test("the vitest example of docs/testing.md is the one that is run as a test", () => {
  const example = readFileSync(new URL("vitest-example.test.ts", import.meta.url), "utf8")
  expect(blockWith("ts", "startEmulator", testing)).toBe(example)
})

test("the README's request lists the recordings of a ticket", async () => {
  const [list] = await run(blockWith("sh", "/api/v2/recordings", readme))
  expect(JSON.parse(list!).pagination.count).toBe(1)
})

test("the requests of docs/start.md work, and the server's data is kept over a restart", async () => {
  const lines = await run(blockWith("sh", "$API/recordings", firstRequests))
  const [list, changed, transcript, uploaded] = lines.slice(0, 4).map((line) => JSON.parse(line))
  expect(list.pagination.count).toBe(1)
  expect(changed.title).toBe("Paid")
  expect(transcript).toMatchObject({ status: "ready", segments: expect.arrayContaining([expect.anything()]) })
  expect(uploaded).toMatchObject({ title: "My first" })

  const { tokens } = server.ready
  await server.stop()
  server = await startServer(data)
  expect(server.ready.tokens).toEqual(tokens)
  const authorization = `Bearer ${tokens["ada@acme.test"]}`
  const one = await fetch(`${server.ready.base_url}/api/v2/recordings/00000000-0000-4000-8000-000000000001`, {
    headers: { authorization }
  })
  expect(await one.json()).toMatchObject({ title: "Paid" })
  const page = new URL(lines.at(-1)!).pathname
  expect((await fetch(`${server.ready.base_url}${page}`)).status).toBe(200)
  const video = await fetch(`${server.ready.base_url}${page}/video`)
  expect([video.status, video.headers.get("content-type")]).toEqual([200, "video/webm"])
})

test.each([
  ["README.md", readme],
  ["docs/testing.md", testing]
])("the requests of %s make all six attempts of a webhook", async (_, document) => {
  const fresh = await startEmulator()
  const lines = (await run(blockWith("sh", "clock/advance", document), fresh)).map((line) => JSON.parse(line))
  await fresh.stop()
  const [sink, ...others] = lines
  const [added, moved, deliveries] = others.slice(-3)
  expect(sink.respond).toEqual([500])
  expect(added.deliveries).toHaveLength(1)
  expect(moved.reached).toBe(true)
  const minutes = deliveries.deliveries[0].attempts.map(({ elapsed_ms }: { elapsed_ms: number }) => elapsed_ms / 60_000)
  expect(minutes).toEqual([0, 1, 6, 36, 156, 876])
  expect(deliveries.deliveries[0].state).toBe("permanently_failed")
})

test("CONTRIBUTING's steps to debug a delivery work", async () => {
  const fresh = await startEmulator()
  const lines = await run(blockWith("sh", "/explain", read("CONTRIBUTING.md")), fresh)
  await fresh.stop()
  const [explanation, log, journal] = lines.slice(-3).map((line) => JSON.parse(line))
  expect(explanation).toMatchObject({ state: "waiting", reason: "waiting_for_retry" })
  expect(log.deliveries[0].attempts.length).toBeGreaterThan(0)
  expect(journal.entries.length).toBeGreaterThan(0)
})

test("the server starts with the README's commands", async () => {
  const [, line = ""] = /^tapedeck (serve .*)$/m.exec(read("apps/server/README.md")) ?? []
  const folder = await temporaryFolder()
  const args = line.replace("./tapedeck-data", join(folder.path, "data")).replace("4020", "0").split(" ")
  const { ready, stop } = await startProcess<Server>(serverMain, [...args, "--json"])
  expect((await fetch(`${ready.base_url}/readyz`)).status).toBe(200)
  await stop()
  await folder.remove()
})

test("a world is created with the commands of docs/testing.md", async () => {
  const block = blockWith("sh", "_emulator/worlds", testing).replace(/^npx .*$/m, "")
  const [world] = await run(block.replace(/\\\n/g, " "))
  const { base_url, control_url, tokens } = JSON.parse(world!)
  expect(control_url).toBe(`${base_url}/_emulator`)
  expect(Object.keys(tokens)).toEqual(["ada@acme.test"])
})

test("the addresses that the README, docs/start.md and docs/testing.md name are served", async () => {
  const documents = ["v2", "v1", "settings", "capture"].map((api) => `/api/${api}/openapi.json`)
  for (const path of ["/", "/api/docs", ...documents]) {
    expect((await fetch(`${server.ready.base_url}${path}`)).status, path).toBe(200)
  }
  for (const path of ["/_emulator/ui", "/_emulator/openapi.json"]) {
    expect((await fetch(`${emulator.ready.base_url}${path}`)).status, path).toBe(200)
  }
})
