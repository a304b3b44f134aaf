import { type Arena, type CallOptions, elsewhere } from "../Arena.ts"
import type { Schema } from "./shapes.ts"

export interface Parameter {
  readonly in: string
  readonly name: string
}

interface Described {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>
  }
  readonly parameters?: ReadonlyArray<Parameter>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** Addresses that are not attacked: they end what the others need. */
const kept = new Set(["/sign-out", "/sessions"])

/** An object of each kind that a path names. */
interface Objects {
  readonly ids: Readonly<Record<string, string>>
  readonly capture: { readonly id: string; readonly capture_token: string }
}

/** The start of each path, and the id that stands in it. */
const makeObjects = async (arena: Arena): Promise<Objects> => {
  const recording = await arena.recording()
  const id = async (path: string, json: unknown) => (await arena.settings<{ id: string }>("POST", path, json)).id
  const folder = await id("/folders", { name: "Attacked" })
  const receiver = await arena.receiver(() => ({ status: 200 }))
  const automation = await id("/automations", { folder_id: folder, url: receiver.url })
  const destination = await id("/audit-destinations", { name: "SIEM", url: receiver.url, enabled: false })
  const link = await arena.settings<{ id: string; url: string }>("POST", "/capture-links", { max_uses: null })
  const site = await arena.settings<{ id: string; key: string }>("POST", "/sites", {
    name: "Shop",
    origins: ["https://shop.test"]
  })
  const user = await id("/users", { email: `attacked-${arena.random.integer(0, 1e9)}@acme.test`, name: "Attacked" })
  const capture = await arena.made<Objects["capture"]>(`/api/capture/links/${link.url.split("/c/")[1]}/captures`, {
    method: "POST",
    token: null
  })
  return {
    capture,
    ids: {
      "/folders": folder,
      "/automations": automation,
      "/audit-destinations": destination,
      "/capture-links": link.id,
      "/sites": site.id,
      "/users": user,
      "/recordings": recording,
      "/captures": capture.id,
      "{token}": link.url.split("/c/")[1] ?? "",
      "{key}": site.key,
      "{uuid}": recording
    }
  }
}

/** The path with ids that exist, where there are some. */
const pathOf = (template: string, { ids }: Objects): string => {
  const start = Object.keys(ids).find((each) => template.startsWith(`${each}/{id}`)) ?? ""
  return template
    .replace("{id}", ids[start] ?? "0")
    .replaceAll(/\{\w+\}/g, (name) => ids[name] ?? "00000000-0000-4000-8000-000000000099")
}

/** A call that an OpenAPI document declares. */
export interface Operation {
  /** For people: method and template. */
  readonly name: string
  readonly method: string
  /** Below the API, with `{id}` and the like. */
  readonly template: string
  /** The same with ids that exist. */
  readonly path: string
  /** With what the call is made. */
  readonly caller: CallOptions
  readonly parameters: ReadonlyArray<Parameter>
  /** The JSON that it takes; undefined for none. */
  readonly json: { readonly schema: Schema; readonly example: unknown } | undefined
  readonly resolve: (schema: Schema) => Schema
}

/** Every call of the APIs, on objects that are made for it. */
export const operationsOf = async (arena: Arena): Promise<ReadonlyArray<Operation>> => {
  const objects = await makeObjects(arena)
  const callerOf = (api: string, template: string): CallOptions => {
    if (api === "capture")
      return { token: null, headers: { authorization: `Capture ${objects.capture.capture_token}` }, from: elsewhere }
    return template.startsWith("/sign-in") ? { token: null, headers: { origin: arena.service.baseUrl } } : {}
  }
  const found: Array<Operation> = []
  for (const api of ["v1", "v2", "settings", "capture"]) {
    const document = await arena.made<Document>(`/api/${api}/openapi.json`, {})
    const resolve = (schema: Schema): Schema =>
      schema.$ref === undefined ? schema : (document.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] ?? {})
    for (const [template, operations] of Object.entries(document.paths)) {
      if (kept.has(template)) continue
      for (const [verb, { parameters = [], requestBody }] of Object.entries(operations)) {
        const method = verb.toUpperCase()
        const json = requestBody?.content["application/json"]
        found.push({
          name: `${method} /api/${api}${template}`,
          method,
          template: `/api/${api}${template}`,
          path: `/api/${api}${pathOf(template, objects)}`,
          caller: callerOf(api, template),
          parameters,
          json: json?.schema === undefined ? undefined : { schema: json.schema, example: json.example },
          resolve
        })
      }
    }
  }
  return found
}
