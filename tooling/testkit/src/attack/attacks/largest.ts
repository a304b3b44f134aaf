import type { Arena, CallOptions } from "../Arena.ts"
import { elsewhere } from "../Arena.ts"
import type { Attack } from "../Attack.ts"
import { everywhere } from "../targets.ts"
import { captureLogs, documents, importedLogs, importedTranscripts } from "./largestTexts.ts"
import { anyJson, fieldsOf, largestFields, type Schema } from "./shapes.ts"

/**
 * The largest input that each endpoint takes, in the shapes that are worst for readers, sorters, searchers and joins; and what is made
 * of it. Each request is watched alone: no health check waits for it longer than 250 ms. The operations, their bodies and their
 * fields come from the OpenAPI documents, and the limits from the refusals, so a new endpoint is attacked as soon as it is declared.
 */

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>
  }
  readonly parameters?: ReadonlyArray<{ readonly in: string; readonly name: string }>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** Addresses that are not attacked: they end what the others need. */
const kept = new Set(["/sign-out", "/sessions"])

/** An object of each kind that a path names. */
export interface Objects {
  readonly ids: Readonly<Record<string, string>>
  readonly capture: { readonly id: string; readonly capture_token: string }
}

/** What each path begins with, and the id that stands in it. */
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
  const user = await id("/users", { email: `largest-${arena.seed}@acme.test`, name: "Larg" })
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

const mebibyte = 1024 * 1024

/** The largest body that the endpoint takes, as its refusal of a larger one says. */
const limitOf = async (arena: Arena, path: string, options: CallOptions): Promise<number> => {
  const headers = { ...options.headers, "content-length": "99999999999" }
  const { status, text } = await arena.call(path, { ...options, headers, body: "" })
  const [, number, unit] = /larger than (\d+) (KiB|MiB|bytes)/.exec(text) ?? []
  if (status === 413 && number !== undefined)
    return Number(number) * { KiB: 1024, MiB: mebibyte, bytes: 1 }[unit as "KiB"]
  arena.fault(`${options.method} ${path}: a body of 100 GB is answered ${status} ${text.slice(0, 200)}`)
  return mebibyte
}

const callers = {
  capture: ({ capture }: Objects): CallOptions => ({
    token: null,
    headers: { authorization: `Capture ${capture.capture_token}` },
    from: elsewhere
  }),
  signIn: (arena: Arena): CallOptions => ({ token: null, headers: { origin: arena.service.baseUrl } })
}

const largestBodies: Attack = {
  name: "largest-bodies",
  line: 2,
  targets: everywhere,
  isAlone: true,
  run: async (arena) => {
    const objects = await makeObjects(arena)
    for (const api of ["v2", "settings", "capture"]) {
      const document = await arena.made<Document>(`/api/${api}/openapi.json`, {})
      const resolve = (schema: Schema): Schema =>
        schema.$ref === undefined ? schema : (document.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] ?? {})
      for (const [template, operations] of Object.entries(document.paths)) {
        if (kept.has(template)) continue
        for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
          const path = `/api/${api}${pathOf(template, objects)}`
          const caller =
            api === "capture" ? callers.capture(objects) : template.startsWith("/sign-in") ? callers.signIn(arena) : {}
          const json = requestBody?.content["application/json"]
          const options = { ...caller, method: method.toUpperCase() }
          const name = `${options.method} /api/${api}${template}`
          if (json?.schema !== undefined) {
            const headers = { ...caller.headers, "content-type": "application/json" }
            const limit = await limitOf(arena, path, { ...options, headers })
            const bytes = arena.isFull ? limit : Math.min(limit, 65_536)
            const shapes = [
              ...anyJson(bytes, fieldsOf(json.schema, resolve)),
              ...largestFields(json.schema, json.example, {
                bytes,
                resolve,
                random: arena.random,
                texts: arena.of(bytes > 4 * mebibyte ? 3 : 30, 1)
              })
            ]
            for (const { body, name: shape } of arena.isFull
              ? shapes
              : arena.random.list(2, 2, () => arena.random.pick(shapes)))
              await arena.send(`${name}, ${shape}`, path, { ...options, headers, body: body() })
          }
          for (const parameter of parameters.filter(({ in: where }) => where === "query")) {
            for (const text of arena.isFull ? ["a", " ", "1", ",", "%", "_", "*", '"', "a b "] : [" "]) {
              const value = encodeURIComponent(text.repeat(Math.floor(6_000 / encodeURIComponent(text).length)))
              if (template !== "/events")
                await arena.send(`${name}?${parameter.name}=${text}…`, `${path}?${parameter.name}=${value}`, options)
            }
          }
        }
      }
    }
  }
}

const largestTexts: Attack = {
  name: "largest-texts",
  line: 2,
  targets: everywhere,
  isAlone: true,
  run: async (arena) => {
    await importedTranscripts(arena)
    await importedLogs(arena)
    await captureLogs(arena)
    await documents(arena)
  }
}

export const largest: ReadonlyArray<Attack> = [largestBodies, largestTexts]
