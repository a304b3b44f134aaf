import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { openApiSettings, openApiV1, openApiV2 } from "@tapedeck/contract"
import { afterAll, expect, it } from "vitest"
import { sources } from "../scripts/sources.ts"
import { Tapedeck } from "../src/index.ts"
import { makeClient, reply } from "./support/fake.ts"

const packageFolder = join(import.meta.dirname, "..")
const folder = mkdtempSync(join(packageFolder, "test", "generated-"))
afterAll(() => rmSync(folder, { recursive: true }))

it("the generated client matches the contract: else run `npx pnpm -F @tapedeck/client generate`", () => {
  const files = sources()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const biome = join(packageFolder, "../../node_modules/.bin/biome")
  execFileSync(biome, ["check", "--write", "--vcs-enabled=false", "--linter-enabled=false", folder], {
    stdio: "ignore"
  })
  const committed = readdirSync(join(packageFolder, "src/generated")).map((name) => `generated/${name}`)
  expect(committed.sort()).toEqual(Object.keys(files).sort())
  for (const path of committed) {
    expect(readFileSync(join(folder, path), "utf8"), path).toBe(readFileSync(join(packageFolder, "src", path), "utf8"))
  }
})

const tapedeck = new Tapedeck({ baseUrl: "https://rec.test", token: "t" })

it.each([
  ["v2", openApiV2({ vendor: "tapedeck" }), tapedeck],
  ["v1", openApiV1({ vendor: "tapedeck" }), tapedeck.v1],
  ["settings", openApiSettings({ vendor: "tapedeck" }), tapedeck.settings]
])("the client has a method for every operation of %s", (_, document, root) => {
  const ids = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId)
  )
  expect(ids.length).toBeGreaterThan(1)
  for (const id of ids) {
    const [group = "", method = ""] = id.split(".")
    const resource = (root as unknown as Record<string, Record<string, unknown>>)[group]
    expect(typeof resource?.[method], id).toBe("function")
  }
})

const apis = {
  v2: openApiV2({ vendor: "tapedeck" }),
  v1: openApiV1({ vendor: "tapedeck" }),
  settings: openApiSettings({ vendor: "tapedeck" })
}

const operations = Object.entries(apis).flatMap(([api, { paths }]) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => ({
      ...{ api, path, method: method.toUpperCase(), id: operationId },
      types: Object.keys(requestBody?.content ?? {})
    }))
  )
)

it.each(operations)("$api's $id sends $method $path", async ({ api, id, method, path, types }) => {
  const { seen, tapedeck } = makeClient(Array.from({ length: 4 }, () => reply(200, {})))
  const root = (api === "v2" ? tapedeck : tapedeck[api as "v1" | "settings"]) as unknown as Record<
    string,
    Record<string, (...args: ReadonlyArray<unknown>) => PromiseLike<unknown>>
  >
  const [group = "", name = ""] = id.split(".")
  const values = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => `a ${parameter}`)
  const body =
    types.length === 0 ? [] : [types[0] === "application/json" ? {} : new Blob(["bytes"], { type: types[0]! })]
  // What it makes of the answer is not asked.
  await Promise.resolve(root[group]![name]!(...values, ...body)).catch(() => undefined)
  const [sent] = seen
  const target = path.replace(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(`a ${parameter}`))
  expect(`${sent?.method} ${sent?.url.pathname}`).toBe(`${method} /api/${api}${target}`)
  if (types[0] === "application/json") expect(sent?.headers.get("content-type")).toBe(types[0])
})

it("the client's version is that of its manifest", async () => {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { readonly version: string }
  expect((await import("../src/version.ts")).version).toBe(manifest.version)
})
