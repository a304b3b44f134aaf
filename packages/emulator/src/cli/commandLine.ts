import { parseArgs } from "node:util"

/** A command line that cannot be followed; the message names the option. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** What the command ends with. Asked to stop, it did what it was told: that is no failure. */
export const exitCodes = { stopped: 0, fault: 1, usage: 2, fixtures: 3, listen: 4 } as const

export const usage = `tapedeck-emulator: the Tapedeck API in memory, with a clock that you move

Usage: tapedeck-emulator [options]

What the default world starts with:
  --fixtures FILE     a start document, YAML or JSON: what the world holds
  --watch             when FILE changes, make the world anew from it; if it has
                      errors, say so and leave the world as it is
  --demo              a start document of our own, with something to look at
  --now ISO           the start instant (default 2026-01-01T00:00:00.000Z)
  --seed N            what ids, tokens and secrets are drawn from (default 1)
  --clock MODE        stopped, or running with wall time (default stopped)

Where it is reached:
  --port N            the port to listen on; 0 takes a free one (default 4010)
  --host ADDRESS      the address to listen on (default 127.0.0.1)
  --allow-host NAME   a host name, besides loopback, by which the emulator
                      may be called; may be given several times

What it prints:
  --json              print the world as one line of JSON once it listens,
                      instead of a greeting
  --quiet             no log
  --help, --version

Standard output has the greeting, with the addresses and tokens, or the line of
--json, and nothing else. The log goes to standard error: the journal of each
world as it is written. On a terminal it has a line to read for each request,
attempt and move of a clock (NO_COLOR=1 for no colours); elsewhere one JSON
object a line: a journal entry and its world. Headers and bodies, in which
secrets travel, are left out: GET /_emulator/journal has them.

SIGINT or SIGTERM stops it cleanly; a second one ends it at once.

Exit codes:
  0  it was stopped by a signal, or printed its help or version
  1  a fault of the emulator's own
  2  options that cannot be followed
  3  fixtures that cannot be read, or have errors
  4  it cannot listen at that address
  130, 143  ended at once, by a second SIGINT or SIGTERM
`

export interface CommandLine {
  readonly port: number
  readonly host: string
  readonly now: string | undefined
  readonly seed: number | undefined
  readonly clock: "stopped" | "running"
  readonly fixtures: string | undefined
  readonly watch: boolean
  readonly allowHosts: ReadonlyArray<string>
  readonly demo: boolean
  readonly json: boolean
  readonly quiet: boolean
  readonly help: boolean
  readonly version: boolean
}

const options = {
  fixtures: { type: "string" },
  watch: { type: "boolean" },
  demo: { type: "boolean" },
  now: { type: "string" },
  seed: { type: "string" },
  clock: { type: "string" },
  port: { type: "string" },
  host: { type: "string" },
  "allow-host": { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" }
} as const

type Name = keyof typeof options

/** Reads the command line; of an option that is given twice the last counts. Throws a `UsageError`. */
export const parseCommandLine = (args: ReadonlyArray<string>): CommandLine => {
  const given = valuesOf(args)
  const last = (name: Name) => given.get(name)?.at(-1)
  const clock = last("clock") ?? "stopped"
  if (clock !== "stopped" && clock !== "running")
    throw new UsageError(`--clock: must be stopped or running, not ${clock}`)
  if (given.has("demo") && given.has("fixtures")) throw new UsageError("--demo and --fixtures: give one of them")
  if (given.has("watch") && !given.has("fixtures")) throw new UsageError("--watch: watches the file of --fixtures")
  return {
    port: integer("--port", last("port") ?? "4010", 0, 65_535),
    host: last("host") ?? "127.0.0.1",
    now: last("now"),
    seed: given.has("seed")
      ? integer("--seed", last("seed")!, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      : undefined,
    clock,
    fixtures: last("fixtures"),
    watch: given.has("watch"),
    allowHosts: given.get("allow-host") ?? [],
    demo: given.has("demo"),
    json: given.has("json"),
    quiet: given.has("quiet"),
    help: given.has("help"),
    version: given.has("version")
  }
}

/** The values by option; one without a value has empty ones. */
const valuesOf = (args: ReadonlyArray<string>): ReadonlyMap<Name, ReadonlyArray<string>> => {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<Name, Array<string>>()
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue
    if (token.kind === "positional") throw new UsageError(`${token.value}: is no option`)
    const { inlineValue, name, rawName, value } = token
    if (!isName(name)) throw new UsageError(`${rawName}: no such option${meant(name)}`)
    if (options[name].type === "boolean" && value !== undefined) throw new UsageError(`${rawName}: takes no value`)
    // `--host --json` has forgotten a value; `--seed -1` has not.
    const isForgotten = value === undefined || value === "" || (inlineValue !== true && /^-(?!\d)/.test(value))
    if (options[name].type === "string" && isForgotten) throw new UsageError(`${rawName}: needs a value`)
    given.set(name, [...(given.get(name) ?? []), value ?? ""])
  }
  return given
}

const isName = (name: string): name is Name => Object.hasOwn(options, name)

const meant = (written: string): string => {
  const near = Object.keys(options).find((name) => name.startsWith(written) || written.startsWith(name))
  return near === undefined ? "" : ` (did you mean --${near}?)`
}

const integer = (name: string, text: string, minimum: number, maximum: number): number => {
  const value = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value) || value < minimum || value > maximum) {
    throw new UsageError(`${name}: must be an integer${maximum === 65_535 ? " from 0 to 65535" : ""}, not ${text}`)
  }
  return value
}
