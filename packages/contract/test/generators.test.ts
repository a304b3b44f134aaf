import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openApiCapture, openApiSettings, openApiV1, openApiV2 } from "../src/index.ts"

const ondemand = join(import.meta.dirname, "../ondemand")
const documents = {
  v1: openApiV1({ vendor: "Tapedeck" }),
  v2: openApiV2({ vendor: "Tapedeck" }),
  settings: openApiSettings({ vendor: "Tapedeck" }),
  capture: openApiCapture({ vendor: "Tapedeck" })
}

let folder: string
let require: NodeJS.Require

/** Runs a file of an installed package. */
const node = async (name: string, file: string, args: ReadonlyArray<string>) => {
  const command = [join(dirname(require.resolve(`${name}/package.json`)), file), ...args]
  return promisify(execFile)(process.execPath, command, { cwd: folder }).catch((failed) => {
    throw new Error(`${name} ${args.join(" ")}: ${failed.stdout}${failed.stderr}`)
  })
}

beforeAll(async () => {
  require = installOnDemand(ondemand)
  folder = await mkdtemp(join(tmpdir(), "tapedeck-generators-"))
  await symlink(join(ondemand, "node_modules"), join(folder, "node_modules"))
  for (const [name, document] of Object.entries(documents)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(document))
    await node("openapi-typescript", "bin/cli.js", [`${name}.json`, "-o", `${name}.ts`])
    await node("@hey-api/openapi-ts", "bin/run.js", ["-i", `${name}.json`, "-o", `hey-${name}`, "--no-log-file"])
  }
})
afterAll(() => rm(folder, { recursive: true }))

/**
 * Where a generated file has a type that says nothing, as a path of property names. The generators write one property a line,
 * indented by its depth.
 */
const vague = async (file: string): Promise<ReadonlyArray<string>> => {
  const path: Array<string> = []
  const found = new Set<string>()
  for (const line of (await readFile(join(folder, file), "utf8")).replace(/\/\*[\s\S]*?\*\//g, "").split("\n")) {
    const [, indent, name, type = ""] =
      /^( *)(?:export (?:type|interface) )?(\[\w+: string\]|"[^"]+"|[\w$]+)\??(?::| =| \{)(.*)$/.exec(line) ?? []
    if (indent === undefined || name === undefined) continue
    path.length = indent.length / 4
    path.push(name)
    if (/\b(?:unknown|any)\b|Record<string, never>/.test(type)) found.add(path.join(" "))
  }
  return [...found]
}

/** Free JSON, whose type is one: what an array of it holds is all that is not said. */
const freeJson = ["JsonValue"]

describe("openapi-typescript", () => {
  // What it writes into every file, and into every answer, whose headers may be more than those that are described.
  const always = /^(?:webhooks|\$defs)$| headers \[name: string\]$/

  it.each(["v1", "v2", "settings", "capture"])(
    "generates types of %s that type each value, except free JSON",
    async (name) => {
      const places = (await vague(`${name}.ts`)).filter((place) => !always.test(place))
      const allowed = freeJson.map((place) => `components schemas ${place}`)
      expect(places.filter((place) => !allowed.includes(place))).toEqual([])
    }
  )
})

describe("@hey-api/openapi-ts", () => {
  it.each(["v1", "v2", "settings", "capture"])(
    "generates types of %s that type each value, except free JSON",
    async (name) => {
      const places = await vague(`hey-${name}/types.gen.ts`)
      expect(places.filter((place) => !freeJson.includes(place))).toEqual([])
    }
  )
})

it("a value without a type in the document is reported by this check", async () => {
  const vagueDocument = structuredClone(documents.v1) as unknown as {
    readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, object> }> }
  }
  vagueDocument.components.schemas.FlatRecording!.properties.title = { description: "Title." }
  await writeFile(join(folder, "vague.json"), JSON.stringify(vagueDocument))
  await node("openapi-typescript", "bin/cli.js", ["vague.json", "-o", "vague.ts"])
  expect(await vague("vague.ts")).toContain("components schemas FlatRecording title")
})

/** What a caller writes: names, values and errors have their types without a cast. */
const use = `
import createClient from "openapi-fetch"
import type { paths as Settings } from "./settings"
import type { paths as V1 } from "./v1"
import type { paths as V2 } from "./v2"
import type { components, webhooks } from "./v2"
import { automationsCreate, recordingsUpload, tokensList } from "./hey-settings"
import { recordingsGet } from "./hey-v1"
import {
  type AuditLogEventWebhookRequest,
  type RecordingAddedToFolderWebhookRequest,
  recordingsDownload,
  recordingsList
} from "./hey-v2"

const baseUrl = "https://rec.acme.example"
export const withOpenApiFetch = async (uuid: string) => {
  const v2 = createClient<V2>({ baseUrl })
  const page = await v2.GET("/recordings", { params: { query: { ticket_id: "4711", provider: "zendesk", page: 2 } } })
  if (page.error !== undefined) return page.error.error.toUpperCase()
  const title: string | null | undefined = page.data.records[0]?.title
  const { data } = await v2.PATCH("/recordings/{uuid}", { params: { path: { uuid } }, body: { recording: { title: "Paid" } } })
  const changed: string | null | undefined = data?.title
  const file = await v2.GET("/recordings/{uuid}/download", { params: { path: { uuid } }, parseAs: "blob" })
  const sizeBytes: number | undefined = file.data?.size
  const flat = await createClient<V1>({ baseUrl }).GET("/recordings/{uuid}", { params: { path: { uuid } } })
  const message: string | undefined = flat.error?.error.message
  const settings = createClient<Settings>({ baseUrl })
  const created = await settings.POST("/automations", { body: { folder_id: "vip", url: "https://hooks.example/x" } })
  const secret: string | undefined = created.data?.secret
  // @ts-expect-error
  await settings.POST("/automations", { body: { folder_id: 1, url: "https://hooks.example/x" } })
  return [title, changed, sizeBytes, message, secret]
}

type Added = webhooks["recording.added_to_folder"]["post"]
export const receive = (
  body: Added["requestBody"]["content"]["application/json"],
  headers: Added["parameters"]["header"],
  audited: webhooks["audit_log"]["post"]["requestBody"]["content"]["application/json"]
) => {
  const event: "recording.added_to_folder" = body.event
  const seconds: number | null = body.recording.duration
  const signature: string = headers["X-Tapedeck-Signature"]
  const type: components["schemas"]["AuditEventType"] = audited.audit_log.event_type
  const email: string | undefined = audited.user?.email
  // @ts-expect-error
  const title: number = body.recording.title
  return [event, seconds, signature, type, email, title, body.folder.name.length]
}

export const receiveWithHeyApi = (added: RecordingAddedToFolderWebhookRequest, audited: AuditLogEventWebhookRequest) => {
  const title: string = added.body.recording.title
  const email: string | undefined = audited.body.user?.email
  const suppressed: number | undefined = audited.body.audit_log.metadata.suppressed
  return [title, email, suppressed]
}

export const withHeyApi = async (uuid: string, blob: Blob) => {
  const page = await recordingsList({ query: { ticket_id: "4711", provider: "zendesk", page: 2 } })
  const title: string | null | undefined = page.data?.records[0]?.title
  const file: Blob | undefined = (await recordingsDownload({ path: { uuid } })).data
  await recordingsUpload({ path: { uuid }, body: blob })
  const code: number | undefined = (await recordingsGet({ path: { uuid } })).error?.error.code
  const created = await automationsCreate({ body: { folder_id: "vip", url: "https://hooks.example/x" } })
  // @ts-expect-error
  await recordingsUpload({ path: { uuid }, body: 4711 })
  return [title, file?.size, code, created.data?.secret, (await tokensList()).data?.pagination.count]
}
`

describe("the generated clients of all three documents, and calls of both kinds,", () => {
  it.each([
    ["TypeScript 5.9", () => join(ondemand, "node_modules/typescript/bin/tsc")],
    ["TypeScript 7", () => join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc")]
  ])("compile under strict with %s", async (_, tsc) => {
    const compilerOptions = {
      ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] },
      // TypeScript's own declarations are not what is tested.
      ...{ skipLibCheck: false, skipDefaultLibCheck: true },
      ...{ target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], module: "ESNext", moduleResolution: "Bundler" }
    }
    const include = ["use.ts", "v1.ts", "v2.ts", "settings.ts", "hey-*"]
    await writeFile(join(folder, "use.ts"), use)
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }))
    const compiled = await promisify(execFile)(process.execPath, [tsc(), "-p", folder]).catch((failed) => failed)
    expect(compiled.stdout).toBe("")
  })
})
