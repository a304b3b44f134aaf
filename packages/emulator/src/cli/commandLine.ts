import { parseArgs } from "node:util"

/** An invalid command line. The message names the option. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Exit codes. A stop by a signal is not a failure. */
export const exitCodes = { stopped: 0, fault: 1, usage: 2, fixtures: 3, listen: 4 } as const

export const usage = `tapedeck-emulator: the Tapedeck API in memory, with a clock that tests move

Usage: tapedeck-emulator [options]

Start of the default world:
  --fixtures FILE     start document, YAML or JSON
  --watch             recreate the world when FILE changes; if FILE has errors,
                      log them and leave the world unchanged
  --demo              start document of the demo
  --now ISO           start instant (default 2026-01-01T00:00:00.000Z)
  --seed N            seed of ids, tokens and secrets (default 1)
  --clock MODE        stopped, or running with wall time (default stopped)

Address:
  --port N            port to listen on; 0 for a free one (default 4010)
  --host ADDRESS      address to listen on (default 127.0.0.1)
  --allow-host NAME   host name that requests may use besides loopback;
                      can be repeated

Output:
  --json              print the world as one line of JSON when it listens,
                      instead of a banner
  --quiet             write no log
  --help, --version

Process:
  --until-stdin-ends  stop when standard input ends, as it does when the program
                      that started the emulator has ended

Standard output contains the banner (addresses, tokens) or the line of --json.
The log goes to standard error. It is the journal of each world: on a terminal a
readable line for each request, attempt and move of a clock (NO_COLOR=1 disables
colours), elsewhere one JSON object a line, a journal entry with its world. It
omits headers and bodies, which contain secrets: GET /_emulator/journal has
them.

SIGINT or SIGTERM stops the emulator cleanly; a second one ends it at once.

Exit codes:
  0  stopped by a signal, or printed the help or the version
  1  unexpected error
  2  invalid options
  3  unreadable or invalid fixtures
  4  cannot listen at the address
  130, 143  ended by a second SIGINT or SIGTERM
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
  readonly untilStdinEnds: boolean
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
  "until-stdin-ends": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" }
} as const

type Name = keyof typeof options

/** Parses the command line. The last occurrence of an option counts. Throws a `UsageError`. */
export const parseCommandLine = (args: ReadonlyArray<string>): CommandLine => {
  const given = valuesOf(args)
  const last = (name: Name) => given.get(name)?.at(-1)
  const clock = last("clock") ?? "stopped"
  if (clock !== "stopped" && clock !== "running")
    throw new UsageError(`--clock: must be stopped or running, not ${clock}`)
  if (given.has("demo") && given.has("fixtures")) throw new UsageError("--demo and --fixtures: give only one of them")
  if (given.has("watch") && !given.has("fixtures")) throw new UsageError("--watch: requires --fixtures")
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
    untilStdinEnds: given.has("until-stdin-ends"),
    help: given.has("help"),
    version: given.has("version")
  }
}

/** The values by option. Flags have empty ones. */
const valuesOf = (args: ReadonlyArray<string>): ReadonlyMap<Name, ReadonlyArray<string>> => {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<Name, Array<string>>()
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue
    if (token.kind === "positional") throw new UsageError(`${token.value}: not an option`)
    const { inlineValue, name, rawName, value } = token
    if (!isName(name)) throw new UsageError(`${rawName}: no such option${suggestion(name)}`)
    if (options[name].type === "boolean" && value !== undefined) throw new UsageError(`${rawName}: takes no value`)
    // The value is missing in `--host --json`, but not in `--seed -1`.
    const isForgotten = value === undefined || value === "" || (inlineValue !== true && /^-(?!\d)/.test(value))
    if (options[name].type === "string" && isForgotten) throw new UsageError(`${rawName}: needs a value`)
    given.set(name, [...(given.get(name) ?? []), value ?? ""])
  }
  return given
}

const isName = (name: string): name is Name => Object.hasOwn(options, name)

const suggestion = (written: string): string => {
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
