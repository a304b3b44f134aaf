import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { emulatorMain, type Started, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"
import type { WorldObject } from "../../src/support/shapes.ts"

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

/** Runs a block in a folder of its own, at the address of this test's server, one answer a line. */
const run = async (block: string): Promise<ReadonlyArray<string>> => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-readme-"))
  const script = block
    .replaceAll("http://127.0.0.1:4020", server.ready.base_url)
    .replace("tdk_…", server.ready.tokens["ada@acme.test"]!)
    .replace(/^curl .*$/gm, "$&\necho")
  const { stdout } = await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", script], { cwd: folder })
  await rm(folder, { recursive: true })
  return stdout.split("\n").filter((line) => line !== "")
}

test("the vitest example of docs/testing.md is the one that is run as a test", () => {
  const example = readFileSync(new URL("vitest-example.test.ts", import.meta.url), "utf8")
  expect(readFence("docs/testing.md", "ts", "startEmulator")).toBe(example)
})

test("the README's request lists the recordings of a ticket", async () => {
  const [list] = await run(readFence("README.md", "sh", "/api/v2/recordings"))
  expect(JSON.parse(list!).pagination.count).toBe(1)
})

test("the requests of docs/start.md work, and the server's data is kept over a restart", async () => {
  const lines = await run(readFence("docs/start.md", "sh", "$API/recordings"))
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

test("the addresses that the README, docs/start.md and docs/testing.md name are served", async () => {
  const documents = ["v2", "v1", "settings", "capture"].map((api) => `/api/${api}/openapi.json`)
  for (const path of ["/", "/api/docs", ...documents]) {
    expect((await fetch(`${server.ready.base_url}${path}`)).status, path).toBe(200)
  }
  for (const path of ["/_emulator/ui", "/_emulator/openapi.json"]) {
    expect((await fetch(`${emulator.ready.base_url}${path}`)).status, path).toBe(200)
  }
})
