import type { UserConfig } from "tsdown"
import { replaceInChunk } from "./sourceMap.ts"

type Plugin = Extract<NonNullable<UserConfig["plugins"]>, { readonly name: string }>

/** Effect's server for Node brings it along for web sockets, of which there are none here. */
const noWebSockets = "export const WebSocket = undefined, WebSocketServer = undefined\nexport default WebSocket"

/** The one class of undici that is used, by its file: undici's entry is CommonJS, so that it would bring all of undici along. */
const undiciPool = "undici/lib/dispatcher/pool.js"
const undiciId = "\0undici:"

/** The import of a module of Node's of which nothing is used: it would be loaded for its own sake. */
const unused = /(?<=^|[;\n])import\s*"node:[a-z_/]+";?/g

/** An import of a module of Node's, as the bundler writes it. */
const builtinImport = /(?<=^|[;\n])import\s*((?:\*\s*as |\{)?[^"'`;()]+?)\s*from\s*("node:[a-z_/0-9]+");?/g

/** Only its functions are used, by logs of captures. Loading it takes 4 ms. */
const lazyModule = '"node:zlib"'

/** Functions that read the module when they are called. */
const lazily = (named: string, builtin: string): string => {
  const functions = named.replace(/[{}]/g, "").split(",")
  const declared = functions.map((each) => {
    const [name, local = name] = each.trim().split(" as ")
    return `${local}=(...args)=>${builtin}.${name}(...args)`
  })
  return `const ${declared.join(",")};`
}

/**
 * Reads of a module of Node's what is used of it. An import reads every export: the getters of `node:http` load Node's
 * own undici, those of `node:util`, `node:fs` and `node:crypto` what is as little asked for.
 */
const asRead = (_ = "", imported = "", name = ""): string => {
  // Nodes that have no such function get as far as the check that says that they are too old.
  const builtin = `(process.getBuiltinModule?.(${name})??{})`
  const [, first, named] = /^([^{]*?),?\s*(\{.*\})?$/s.exec(imported) ?? []
  const whole = first && `${first.replace(/\*\s*as /, "").trim()}=${builtin}`
  if (named && name === lazyModule) return lazily(named, builtin)
  const parts = named && `${named.replaceAll(" as ", ":")}=${builtin}`
  return `const ${[whole, parts].filter(Boolean).join(",")};`
}

/**
 * One letter beyond Latin-1 makes V8 keep the whole text in two bytes a letter. Comments are gone by then, and whatever
 * else holds such letters (strings, patterns) may hold escapes.
 */
const escaped = (unit = "") => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Leaves out of the bundle what a start would load for nothing, and what is not used. */
export const startUp: Plugin = {
  name: "start-up",
  resolveId: {
    order: "pre",
    async handler(id, importer) {
      if (id === "ws") return "\0ws"
      if (id !== "undici") return null
      const pool = await this.resolve(undiciPool, importer)
      return pool === null ? null : undiciId + pool.id
    }
  },
  load: (id) => {
    if (id === "\0ws") return noWebSockets
    const path = id.startsWith(undiciId) ? id.slice(undiciId.length) : undefined
    return path === undefined ? null : `export { default as Pool } from ${JSON.stringify(path)}`
  },
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue
      replaceInChunk(bundle, file, unused, () => "")
      replaceInChunk(bundle, file, builtinImport, asRead)
      replaceInChunk(bundle, file, /[^\0-\x7f]/g, escaped)
    }
  }
}

/** Keeps the names and the lines, so that a stack trace, and the line that Node prints above one, say something. */
export const minify = { compress: true, mangle: false, codegen: { removeWhitespace: false } } as const
