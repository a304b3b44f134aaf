import { parseArgs } from "node:util"

/** A command line that cannot be followed; the message names the option. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export const usage = `tapedeck: record, list, download, and tell others by webhook

Usage: tapedeck serve [options]

  --store memory      where everything is kept; memory loses it at the end
  --port N            the port to listen on; 0 takes a free one (default 4020)
  --host ADDRESS      the address to listen on (default 127.0.0.1)
  --fixtures FILE     a start document, YAML or JSON: what the store holds
  --json              print one line of JSON once it listens
  --help
`

export interface ServeOptions {
  readonly port: number
  readonly host: string
  readonly fixtures: string | undefined
  readonly json: boolean
}

const options = {
  store: { type: "string" },
  port: { type: "string" },
  host: { type: "string" },
  fixtures: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" }
} as const

/** Reads the command line; null when help is asked for. Throws a `UsageError`. */
export const parseCommandLine = (args: ReadonlyArray<string>): ServeOptions | null => {
  const { positionals, values } = parse(args)
  if (values.help === true) return null
  const [command, ...rest] = positionals
  if (command !== "serve" || rest.length > 0)
    throw new UsageError(`unknown command: ${positionals.join(" ") || "(none)"}`)
  if (values.store !== undefined && values.store !== "memory") {
    throw new UsageError(`--store: must be memory, not ${values.store}`)
  }
  return {
    port: portOf(values.port ?? "4020"),
    host: values.host ?? "127.0.0.1",
    fixtures: values.fixtures,
    json: values.json ?? false
  }
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "the options cannot be read")
  }
}

const portOf = (text: string): number => {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`--port: must be an integer from 0 to 65535, not ${text}`)
  return port
}
