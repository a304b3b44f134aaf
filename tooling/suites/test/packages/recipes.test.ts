import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cp, readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { inOneChecker } from "./compilers.ts"
import { type EmptyProject, emptyProject, root } from "./emptyProject.ts"
import { smallWorker } from "./smallWorker.ts"

// The recipes of examples/http, in a project with the frameworks and the packages as they are published.

const recipes = join(root, "examples/http")

let made: EmptyProject | undefined
let project: string

beforeAll(async () => {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(recipes, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>
    readonly devDependencies: Readonly<Record<string, string>>
  }
  made = await emptyProject(["domain", "contract", "core", "fixtures", "http"], {
    dependencies,
    devDependencies,
    // Their programs are in packages of their own.
    settings: { allowBuilds: { esbuild: false, sharp: false, workerd: false } }
  })
  project = made.path
  const isRecipe = (path: string) => !/\/(package\.json|node_modules)$/.test(path)
  await cp(recipes, project, { recursive: true, filter: isRecipe })
})

afterAll(() => made?.remove())

const run = async (file: string, args: ReadonlyArray<string>): Promise<string> => {
  const ended = promisify(execFile)(file, [...args], { cwd: project })
  const { stdout, stderr } = await ended.catch((failed: { readonly stdout: string; readonly stderr: string }) => failed)
  return stdout + stderr
}

test("the recipes compile with strict settings", async () => {
  expect(await run(join(project, "node_modules/.bin/tsc"), ["-p", ".", "--skipDefaultLibCheck", ...inOneChecker])).toBe(
    ""
  )
})

/** Starts a recipe, and returns the address that it prints. */
const start = async (name: string): Promise<string> => {
  const child = spawn(process.execPath, [`${name}.ts`], {
    cwd: project,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(async () => {
    if (child.kill()) await once(child, "close")
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const { value: url = "" } = await lines.next()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  return url
}

type Credentials = (user: string) => Readonly<Record<string, string>>
type Fetch = (
  path: string,
  init?: { method?: string; headers?: Record<string, string>; body?: string }
) => Promise<{
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly text: () => Promise<string>
}>

const byToken: Credentials = (user) => ({ authorization: `Bearer ${user}-token` })
const json = { "content-type": "application/json" }

/** What every host must do: reads, writes with a body, refusals, and pages. */
const answersAsTheService = async (fetch: Fetch, credentials: Credentials = byToken) => {
  const ask = async (...args: Parameters<Fetch>) => {
    const response = await fetch(...args)
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  const headers = credentials("ada")
  const list = await ask("/api/v2/recordings?page=1", { headers })
  expect(list).toMatchObject({ status: 200, body: { records: [{ title: "Checkout fails" }] } })
  const path = `/api/v2/recordings/${list.body.records[0].uuid}`

  const body = JSON.stringify({ recording: { title: "Größe ändern" } })
  const changed = await ask(path, { method: "PATCH", headers: { ...headers, ...json }, body })
  expect(changed).toMatchObject({ status: 200, body: { title: "Größe ändern" } })
  expect((await ask(path, { headers })).body.title).toBe("Größe ändern")

  const refused = await ask(path, { method: "PATCH", headers: { ...headers, ...json }, body: `{"recording":1}` })
  expect(refused).toEqual({ status: 400, body: { error: expect.any(String) } })
  const text = { ...headers, "content-type": "text/plain" }
  expect((await ask(path, { method: "PATCH", headers: text, body })).status).toBe(415)
  expect((await ask(path)).status).toBe(401)
  expect((await ask("/api/v2/users", { headers: credentials("eve") })).status).toBe(401)
  expect((await ask("/api/v1/nothing", { headers })).status).toBe(404)

  const page = await fetch(`/r/${list.body.records[0].uuid}`, { headers })
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(await page.text()).toContain("Größe ändern")
  const head = await fetch(path, { method: "HEAD", headers })
  expect([head.status, await head.text()]).toEqual([200, ""])
}

const below =
  (url: string): Fetch =>
  (path, init) =>
    fetch(url + path, init)

test("in Hono, the service answers below a prefix, and the application beside it", async () => {
  const url = await start("hono")
  await answersAsTheService(below(`${url}/tapedeck`))
  expect(await (await fetch(url)).text()).toBe("The application's own page")
  const [, command, request = ""] = readFence("examples/README.md", "sh").trim().split("\n")
  expect(command).toMatch(/^node hono\.ts /)
  const list = await run("bash", ["--norc", "-c", request.replace("http://127.0.0.1:3000", url)])
  expect(list).toContain('{"pagination"')
})

test("in Express, the service answers behind express.json()", async () => {
  const url = await start("express")
  await answersAsTheService(below(`${url}/tapedeck`))
  const own = await fetch(`${url}/own`, { method: "POST", headers: json, body: "[1]" })
  expect(await own.json()).toEqual({ own: [1] })
})

test("in Fastify, the service answers the application's own users, whose routes parse their bodies", async () => {
  const url = await start("fastify")
  await answersAsTheService(below(`${url}/tapedeck`), (user) => ({ cookie: `user=${user}` }))
  const own = await fetch(`${url}/own`, { method: "POST", headers: json, body: "[1]" })
  expect(await own.json()).toEqual({ own: [1] })
  const token = await fetch(`${url}/tapedeck/api/v2/recordings`, { headers: byToken("ada") })
  expect(token.status).toBe(401)
})

/** A module of the project as one file for a Worker, and the packages of ours that import modules of Node. */
const bundled = async (input: string) => {
  const importers = new Set<string>()
  const built = await rolldown({
    cwd: project,
    input,
    platform: "neutral",
    external: (id, importer = "") => {
      if (!id.startsWith("node:")) return false
      importers.add(/\/(@tapedeck\/\w+)\/dist\//.exec(importer)?.[1] ?? importer)
      return true
    },
    resolve: { conditionNames: ["workerd", "worker", "import", "default"], mainFields: ["module", "main"] }
  })
  const { output } = await built.generate({ format: "esm", minify: true, codeSplitting: false })
  await built.close()
  const [{ code, imports }] = output
  return { code, imports, importers: [...importers].sort() }
}

/** What of miniflare the test uses. */
interface Miniflare {
  readonly dispatchFetch: (url: string, init?: Parameters<Fetch>[1]) => ReturnType<Fetch>
  readonly dispose: () => Promise<void>
}

describe("a Worker", () => {
  test("answers in Cloudflare's runtime", async () => {
    const { Miniflare } = createRequire(join(project, "package.json"))("miniflare") as {
      readonly Miniflare: new (options: object) => Miniflare
    }
    const worker = new Miniflare({
      modules: [{ type: "ESModule", path: "worker.js", contents: (await bundled("worker.ts")).code }],
      compatibilityDate: "2026-06-01",
      compatibilityFlags: ["nodejs_compat"],
      bindings: { TAPEDECK_KEY: Buffer.alloc(32, 7).toString("base64") }
    })
    onTestFinished(() => worker.dispose())
    await answersAsTheService((path, init) => worker.dispatchFetch(`http://worker.test${path}`, init))
  })

  test("has at most 213 kB, gzipped, and only @tapedeck/core imports modules of Node", async () => {
    await writeFile(join(project, "smallest.ts"), smallWorker)
    const { code, importers, imports } = await bundled("smallest.ts")
    expect(gzipSync(code).length).toBeLessThan(213_000)
    expect([...imports].sort()).toEqual(["node:crypto", "node:zlib"])
    expect(importers).toEqual(["@tapedeck/core"])
  })
})
