import { parseArgs } from "node:util"

/** A command line that cannot be followed; the message names the option. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export const usage = `tapedeck-emulator: the Tapedeck API in memory, with a clock that you move

Usage: tapedeck-emulator [options]

  --port N            the port to listen on; 0 takes a free one (default 4010)
  --host ADDRESS      the address to listen on (default 127.0.0.1)
  --now ISO           the start instant (default 2026-01-01T00:00:00.000Z)
  --seed N            what ids, tokens and secrets are drawn from (default 1)
  --clock MODE        stopped, or running: wall time carries it (default stopped)
  --fixtures FILE     a start document, YAML or JSON: what the world holds
  --allow-host NAME   a host name, besides loopback, by which the control plane
                      may be called; may be given several times
  --demo              a start document of our own, with something to look at
  --json              print the world as one line of JSON once it listens
  --help, --version
`

export interface CommandLine {
  readonly port: number
  readonly host: string
  readonly now: string | undefined
  readonly seed: number | undefined
  readonly clock: "stopped" | "running"
  readonly fixtures: string | undefined
  readonly allowHosts: ReadonlyArray<string>
  readonly demo: boolean
  readonly json: boolean
  readonly help: boolean
  readonly version: boolean
}

const options = {
  port: { type: "string" },
  host: { type: "string" },
  now: { type: "string" },
  seed: { type: "string" },
  clock: { type: "string" },
  fixtures: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  demo: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" }
} as const

/** Reads the command line. Throws a `UsageError`. */
export const parseCommandLine = (args: ReadonlyArray<string>): CommandLine => {
  const { values } = parse(args)
  const clock = values.clock ?? "stopped"
  if (clock !== "stopped" && clock !== "running")
    throw new UsageError(`--clock: must be stopped or running, not ${clock}`)
  if (values.demo === true && values.fixtures !== undefined) {
    throw new UsageError("--demo and --fixtures: give one of them")
  }
  return {
    port: integer("--port", values.port ?? "4010", 0, 65_535),
    host: values.host ?? "127.0.0.1",
    now: values.now,
    seed:
      values.seed === undefined
        ? undefined
        : integer("--seed", values.seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    clock,
    fixtures: values.fixtures,
    allowHosts: values["allow-host"] ?? [],
    demo: values.demo ?? false,
    json: values.json ?? false,
    help: values.help ?? false,
    version: values.version ?? false
  }
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "the options cannot be read")
  }
}

const integer = (name: string, text: string, minimum: number, maximum: number): number => {
  const value = Number(text)
  if (text.trim() === "" || !Number.isSafeInteger(value) || value < minimum || value > maximum) {
    throw new UsageError(`${name}: must be an integer${maximum === 65_535 ? " from 0 to 65535" : ""}, not ${text}`)
  }
  return value
}
