import http from "node:http"
import type { UserConfig } from "tsdown"

type Plugin = Extract<NonNullable<UserConfig["plugins"]>, { readonly name: string }>

/** What reading it loads nothing: the exports that are no getters. */
const plainExports = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { value }]) =>
  value === undefined ? [] : [name]
)

/** Modules as far as a start needs them. */
const leaner = {
  /** To import it reads every export, and one of the getters loads Node's own undici: 30 ms of each start. */
  "node:http": `
    const builtin = process.getBuiltinModule("node:http")
    export const { ${plainExports} } = builtin
    export default builtin`,
  /** Effect's server for Node brings it along for web sockets, of which there are none here. */
  ws: "export const WebSocket = undefined, WebSocketServer = undefined\nexport default WebSocket"
}

const isLeaner = (id: string): id is keyof typeof leaner => Object.hasOwn(leaner, id)

/** The import of a module of Node's of which nothing is used: it would be loaded for its own sake. */
const unused = /(?<=^|[;\n])import"node:[a-z_/]+";?/g

/**
 * One letter beyond Latin-1 makes V8 keep the whole text in two bytes a letter. Comments are gone by then, and whatever
 * else holds such letters (strings, patterns) may hold escapes.
 */
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Leaves out of the bundle what a start would load for nothing. */
export const startUp: Plugin = {
  name: "start-up",
  resolveId: { order: "pre", handler: (id) => (isLeaner(id) ? `\0${id}` : null) },
  load: (id) => {
    const name = id.slice(1)
    return id.startsWith("\0") && isLeaner(name) ? leaner[name] : null
  },
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) {
      if (file.type === "chunk") file.code = file.code.replaceAll(unused, "").replaceAll(/[^\0-\x7f]/g, escaped)
    }
  }
}

/** Keeps the names, so that a stack trace says something. */
export const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const
