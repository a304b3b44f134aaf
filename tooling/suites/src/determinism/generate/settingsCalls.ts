import type { Operation } from "../Player.ts"
import type { Random } from "../Random.ts"
import { sending } from "./apiCalls.ts"
import type { Known } from "./Known.ts"

/** Random calls to the settings API, made from its OpenAPI document: every operation that it names, as it comes to be. */

type Schema = Readonly<Record<string, unknown>>

interface OperationObject {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema?: Schema }>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
}

/** As much of the document as is read. */
export interface SettingsApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

const methods = new Set(["get", "post", "put", "patch", "delete"])

const list = (value: unknown): ReadonlyArray<Schema> => (Array.isArray(value) ? (value as ReadonlyArray<Schema>) : [])

/** A value of a schema, now and then another. */
const sample = (random: Random, known: Known, api: SettingsApi, schema: Schema, depth = 0): unknown => {
  const within = (inner: Schema) => sample(random, known, api, inner, depth + 1)
  if (depth > 6 || random.chance(0.03)) return random.pick([null, 0, "odd", [], {}])
  if (typeof schema.$ref === "string") {
    return within(api.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] ?? {})
  }
  if (Array.isArray(schema.enum)) return random.pick(schema.enum)
  if (schema.const !== undefined) return schema.const
  const choices = [...list(schema.anyOf), ...list(schema.oneOf)]
  if (choices.length > 0) return within(random.pick(choices))
  switch (schema.type) {
    case "object":
      return object(random, known, schema, within)
    case "array":
      return random.list(0, 2, () => within((schema.items as Schema | undefined) ?? {}))
    case "integer":
    case "number":
      return random.integer(Number(schema.minimum ?? 0), Math.min(Number(schema.maximum ?? 300), 300))
    case "boolean":
      return random.chance(0.5)
    case "null":
      return null
    default:
      return text(random, known)
  }
}

const object = (random: Random, known: Known, schema: Schema, within: (inner: Schema) => unknown): unknown => {
  const required = new Set(list(schema.required) as unknown as ReadonlyArray<string>)
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)
  return Object.fromEntries(
    properties
      .filter(([name]) => random.chance(required.has(name) ? 0.98 : 0.5))
      .map(([name, inner]) => [name, named(random, known, name) ?? within(inner)])
  )
}

/** Some keys want what there is. */
const named = (random: Random, known: Known, name: string): unknown => {
  if (random.chance(0.1)) return undefined
  if (/url$/.test(name)) return random.pick(["https://hooks.example/x", "http://plain.example/", "sink:s1"])
  if (/email|user$/.test(name)) return random.pick([...known.members, "new@acme.test"])
  if (/folder(_id)?$/.test(name)) return random.pick(known.folders)
  if (/recording(_id|_uuid)?$/.test(name)) return random.pick(known.recordings)
  return undefined
}

const text = (random: Random, known: Known): string =>
  random.pick([random.text(), "name", random.pick(known.recordings), random.pick(known.folders)])

/** An id by what the path says before it (`/automations/{id}`), now and then another. */
const idFor = (random: Random, known: Known, collection: string): string => {
  const own = known.idsOf(collection)
  if (own.length > 0 && !random.chance(0.1)) return random.pick(own)
  return random.pick(["1", "nope", random.pick(known.folders), random.pick(known.recordings)])
}

export const settingsCall = (random: Random, known: Known, api: SettingsApi | undefined): Operation => {
  const operations = Object.entries(api?.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item)
      // A stream of events does not end.
      .filter(([method]) => methods.has(method) && !path.endsWith("/events"))
      .map(([method, operation]) => ({ path, method, operation }))
  )
  const chosen = random.pick(operations)
  const root = chosen.path.startsWith("/api/settings") ? "" : "/api/settings"
  const path = chosen.path.replaceAll(
    /\/([^/]+)\/\{[^}]+\}/g,
    (_, before: string) => `/${before}/${idFor(random, known, before)}`
  )
  const query = (chosen.operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && random.chance(0.3))
    .map(
      ({ name, schema = {} }) =>
        `${name}=${encodeURIComponent(String(sample(random, known, api ?? { paths: {} }, schema)))}`
    )
  const [[type, content] = []] = Object.entries(chosen.operation.requestBody?.content ?? {})
  const token = random.weighted([
    [8, known.sessions.at(-1) ?? "token-of-ada"],
    [4, "token-of-ada"],
    [2, "token-of-bob"],
    [1, "unknown"]
  ])
  const body =
    type === undefined
      ? { headers: {} }
      : type === "application/json"
        ? sending(sample(random, known, api ?? { paths: {} }, content?.schema ?? {}))
        : { headers: { "content-type": "video/webm" }, body: random.text() }
  return {
    ...body,
    method: chosen.method.toUpperCase(),
    path: `${known.prefix}${root}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`,
    headers: { "user-agent": "sequence", authorization: `Bearer ${token}`, ...body.headers }
  }
}
