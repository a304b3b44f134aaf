import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { SigningError } from "../src/index.ts"
import { packageDirectory, run, workspaceBin } from "../test/support/run.ts"

// Where the frameworks are found.
const directory = join(import.meta.dirname, "node_modules/.readme")
let readme: string
beforeAll(async () => {
  readme = await readFile(join(packageDirectory, "README.md"), "utf8")
  await mkdir(directory, { recursive: true })
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Declarations that the examples use. */
const declarations = `
import type { Express } from "express"
import type { FastifyInstance } from "fastify"
import type { Hono } from "hono"
import type Koa from "koa"
import type * as http from "node:http"
import type { WebhookEvent } from "@tapedeck/signing"
declare global {
  const app: Express
  const fastify: FastifyInstance
  const hono: Hono
  const koa: Koa
  const createServer: typeof http.createServer
  const redis: { set(key: string, value: string, options: { NX: boolean; EXAT: number }): Promise<string | null> }
  const body: Uint8Array
  const headers: Headers
  const secret: string
  const newSecret: string
  const oldSecret: string
  const work: (event: WebhookEvent) => Promise<void>
}
`

test("every example of the README compiles with the frameworks' types and the built package", async () => {
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code)
  expect(examples.length).toBeGreaterThan(15)
  await Promise.all(
    examples.map((code, index) => writeFile(join(directory, `example${index}.ts`), `${code}\nexport {}\n`))
  )
  await writeFile(join(directory, "declarations.ts"), declarations)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "ES2022",
    lib: ["ES2022"],
    types: ["node"],
    module: "ESNext",
    moduleResolution: "Bundler",
    skipLibCheck: true,
    paths: { "@tapedeck/signing": ["../../../dist/index.d.ts"], "@tapedeck/signing/*": ["../../../dist/*.d.ts"] }
  }
  await writeFile(join(directory, "package.json"), `{ "type": "module" }`)
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  expect(await run(workspaceBin("tsc"), ["-p", directory])).toBe("")
})

test("the README explains every error code, and no other", async () => {
  const source = await readFile(join(packageDirectory, "src/errors.ts"), "utf8")
  const messages = /const messages: .*?\n}\n/s.exec(source)?.[0] ?? ""
  const codes = [...messages.matchAll(/^ {2}(\w+): /gm)].map(([, code]) => code)
  expect(codes).toContain(new SigningError("replayed", { id: "", timestamp: 0 }).code)
  const table = readme.slice(readme.indexOf("| `code` |"), readme.indexOf("`verifyResultSync`"))
  const explained = table
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, code]) => code))
  expect(explained.filter((code) => code !== "code").sort()).toEqual(codes.sort())
})

test("the README names every exported function", async () => {
  const signing = await import("../src/index.ts")
  const named = Object.keys(signing).filter((name) => !readme.includes(name))
  expect(named).toEqual(["parseEvent"])
})
