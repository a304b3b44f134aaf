import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type OpenApiDocument, openApiCapture, openApiSettings, openApiV1, openApiV2 } from "../src/index.ts"

const run = promisify(execFile)
const documents = {
  v1: openApiV1({ vendor: "Tapedeck" }),
  v2: openApiV2({ vendor: "Tapedeck" }),
  settings: openApiSettings({ vendor: "Tapedeck" }),
  capture: openApiCapture({ vendor: "Tapedeck" })
}

/** Redocly's command, which is one file without dependencies. */
let redocly: string
let folder: string
beforeAll(async () => {
  const require = installOnDemand(join(import.meta.dirname, "../ondemand"))
  redocly = join(dirname(require.resolve("@redocly/cli/package.json")), "bin/cli.js")
  folder = await mkdtemp(join(tmpdir(), "tapedeck-openapi-"))
  await writeFile(join(folder, "redocly.yaml"), "extends: [recommended-strict]\n")
})
afterAll(() => rm(folder, { recursive: true }))

const lint = async (name: string, document: unknown) => {
  await writeFile(join(folder, `${name}.json`), JSON.stringify(document))
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
  const { stdout } = await run(process.execPath, [redocly, "lint", `${name}.json`, "--format=json"], {
    cwd: folder,
    env
  }).catch((failed: { stdout: string }) => failed)
  return (JSON.parse(stdout) as { problems: Array<{ ruleId: string }> }).problems
}

const operationsOf = (document: OpenApiDocument) =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ at: `${method} ${path}`, path, operation }))
  )

describe.each(["v1", "v2", "settings", "capture"] as const)("the OpenAPI document of %s", (version) => {
  const document = documents[version]

  it("passes Redocly's recommended-strict rules without a finding", async () => {
    expect(await lint(version, document)).toEqual([])
  })

  it("describes every operation, parameter, answer, schema and property", () => {
    const missing: Array<string> = []
    const need = (what: string, text: string | undefined) => text || missing.push(what)
    for (const { at, operation } of operationsOf(document)) {
      need(at, operation.summary)
      need(at, operation.description)
      for (const parameter of operation.parameters) need(`${at} ${parameter.name}`, parameter.description)
      for (const [status, response] of Object.entries(operation.responses)) {
        need(`${at} ${status}`, response.description)
        if (response.description === "Success" || response.description === "Error") missing.push(`${at} ${status}`)
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      need(name, schema.description)
      for (const [key, property] of Object.entries(schema.properties ?? {})) {
        if (property.$ref === undefined) need(`${name}.${key}`, property.description)
      }
    }
    expect(missing).toEqual([])
  })

  it("gives an example of every body, except files", () => {
    const bodies = operationsOf(document).flatMap(({ at, operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) =>
        Object.entries(response.content ?? {})
          .filter(([type, body]) => type === "application/json" && body.example === undefined)
          .map(() => `${at} ${status}`)
      )
    )
    expect(bodies).toEqual([])
  })

  it("declares the request's id on every answer, and a token on every operation that takes one", () => {
    const isOpen = version === "capture" ? /^\/(links|sites|pairings)/ : /^\/sign-in/
    const scheme = version === "capture" ? "capture" : "bearer"
    for (const { operation, path } of operationsOf(document)) {
      expect(operation.security).toEqual(isOpen.test(path) ? [] : [{ [scheme]: [] }])
      for (const response of Object.values(operation.responses)) {
        expect(Object.keys(response.headers)).toContain("X-Request-Id")
      }
    }
  })
})

it("a document that breaks a rule is reported by this check", async () => {
  const broken = structuredClone(documents.v2) as { paths: Record<string, Record<string, { summary?: string }>> }
  delete broken.paths["/recordings"]?.get?.summary
  expect((await lint("broken", broken)).map(({ ruleId }) => ruleId)).toEqual(["operation-summary"])
})

describe("the specification's endpoints", () => {
  const statuses = (document: OpenApiDocument, path: string, method = "get") =>
    Object.keys(document.paths[path]?.[method]?.responses ?? {}).map(Number)

  it.each([
    ["get", "/recordings", [200, 400, 401, 403]],
    ["get", "/recordings/{uuid}", [200, 401, 403, 404]],
    ["patch", "/recordings/{uuid}", [200, 400, 401, 403, 404, 415, 422]],
    ["get", "/recordings/{uuid}/download", [200, 206, 304, 401, 403, 404, 409, 412, 416]],
    ["get", "/recordings/{uuid}/transcript", [200, 400, 401, 403, 404]],
    ["get", "/users", [200, 400, 401, 403]],
    ["get", "/users/search", [200, 400, 401, 403, 404]]
  ])("v2 %s %s declares its statuses, and those of any request", (method, path, own) => {
    const any = [405, 413, 414, 429, 500, 503, 507]
    expect(statuses(documents.v2, path, method)).toEqual([...own, ...any].sort())
  })

  it.each([
    ["/recordings", [200, 400, 401, 403]],
    ["/recordings/{uuid}", [200, 401, 403, 404]]
  ])("v1 declares the statuses of get %s", (path, own) => {
    expect(statuses(documents.v1, path)).toEqual([...own, 405, 413, 414, 429, 500, 503].sort())
  })

  it("has no other paths than these", () => {
    expect(Object.keys(documents.v2.paths)).toHaveLength(6)
    expect(Object.keys(documents.v1.paths)).toEqual(["/recordings", "/recordings/{uuid}"])
    expect(documents.v2.info.version).toBe("2.0.0")
  })
})

describe("the OpenAPI document of a configured service", () => {
  it("lists the vendor's word as the ninth platform, in lower case (N2, N3)", () => {
    const platforms = openApiV2({ vendor: "Zappy" }).components.schemas.Platform?.enum
    expect(platforms).toHaveLength(9)
    expect(platforms).toContain("zappy")
    expect(platforms).not.toContain("tapedeck")
  })

  it("names the vendor's signature header in its webhooks, and no headers of Standard Webhooks if they are off", () => {
    const headersIn = (options: Parameters<typeof openApiV2>[0], name: string) =>
      openApiV2(options).webhooks?.[name]?.post?.parameters.map(({ name, required }) => [name, required])
    const standard = (isSigned: boolean) => [
      ["webhook-id", true],
      ["webhook-timestamp", true],
      ["webhook-signature", isSigned]
    ]
    const added = "recording.added_to_folder"
    expect(headersIn({ vendor: "Zappy" }, added)).toEqual([["X-Zappy-Signature", true], ...standard(true)])
    expect(headersIn({ vendor: "Zappy" }, "audit_log")).toEqual([["X-Webhook-Signature", false], ...standard(false)])
    const off = { vendor: "Tapedeck", standardWebhooks: false }
    expect(headersIn(off, added)).toEqual([["X-Tapedeck-Signature", true]])
    expect(headersIn(off, "audit_log")).toEqual([["X-Webhook-Signature", false]])
  })

  it("has webhooks in v2 only, of which each has a summary, a description and an example", () => {
    expect(Object.values(documents).filter(({ webhooks }) => webhooks !== undefined)).toEqual([documents.v2])
    const webhooks = Object.entries(documents.v2.webhooks!)
    expect(webhooks.map(([name]) => name)).toEqual(["recording.added_to_folder", "audit_log"])
    for (const [, { post }] of webhooks) {
      expect(post?.summary).not.toBe("")
      expect(post?.description).toContain("retries")
      expect(post?.requestBody?.content["application/json"]?.example).toBeDefined()
      for (const { description } of post!.parameters) expect(description).not.toBe("")
    }
  })

  it("states the page size and the root that it is served under", () => {
    const document = openApiV2({ vendor: "Tapedeck", pageSize: 25, serverUrl: "/worlds/w1/api/v2" })
    expect(document.info.description).toContain("25 records a page")
    expect(document.servers[0]?.url).toBe("/worlds/w1/api/v2")
  })
})
