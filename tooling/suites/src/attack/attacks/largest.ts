import type { Arena, CallOptions } from "../Arena.ts"
import type { Attack } from "../Attack.ts"
import { everywhere } from "../targets.ts"
import { captureLogs, documents, importedLogs, importedTranscripts } from "./largestTexts.ts"
import { operationsOf } from "./operations.ts"
import { anyJson, fieldsOf, largestFields } from "./shapes.ts"

/**
 * The largest input that each endpoint takes, in the shapes that are worst for readers, sorters, searchers and joins; and what is made
 * of it. Each request is watched alone: no health check waits for it longer than 250 ms. The operations, their bodies and their
 * fields come from the OpenAPI documents, and the limits from the refusals, so a new endpoint is attacked as soon as it is declared.
 */

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

const largestBodies: Attack = {
  name: "largest-bodies",
  line: 2,
  targets: everywhere,
  isAlone: true,
  run: async (arena) => {
    for (const { caller, json, method, name, parameters, path, resolve } of await operationsOf(arena)) {
      const options = { ...caller, method }
      if (json !== undefined) {
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
          : arena.random.list(2, 2, () => arena.random.pick(shapes))) {
          const text = body()
          const { status } = await arena.send(`${name}, ${shape}`, path, { ...options, headers, body: text })
          if (status < 300) arena.stores(2 * text.length)
        }
      }
      for (const parameter of parameters.filter(({ in: where }) => where === "query")) {
        for (const text of arena.isFull ? ["a", " ", "1", ",", "%", "_", "*", '"', "a b "] : [" "]) {
          const value = encodeURIComponent(text.repeat(Math.floor(6_000 / encodeURIComponent(text).length)))
          if (!path.endsWith("/events"))
            await arena.send(`${name}?${parameter.name}=${text}…`, `${path}?${parameter.name}=${value}`, options)
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
