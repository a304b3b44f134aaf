import { parseArgs } from "node:util"
import type { KnownHead } from "@tapedeck/core"
import { suggest } from "@tapedeck/core/input"
import { headIn } from "../audit/headText.ts"
import { optionOf, type SettingName, settingNames, settings } from "../config/settings.ts"
import { isOperatorCommand, type OperatorCommand, operatorCommands } from "./operatorCommands.ts"

/** An invalid command line; the message names the option. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Texts of settings, by name. */
export type SettingOptions = { readonly [Name in SettingName]?: string }

export type CommandLine = { readonly command: "help" } | { readonly command: "version" } | Following

/** A command that uses settings. */
export type Following = {
  readonly options: SettingOptions
  /** The file that `--config` names. */
  readonly config: string | undefined
} & (
  | { readonly command: "serve"; readonly start: StartOptions }
  | { readonly command: "key rotate" }
  | { readonly command: "audit verify"; readonly verify: VerifyOptions }
  | { readonly command: OperatorCommand; readonly arguments: OperatorArguments }
)

/** The arguments of an operator command besides settings. */
export interface OperatorArguments {
  /** The word after the command, as in `backup DIR`; empty if the command takes none. */
  readonly operand: string
  readonly given: ReadonlyMap<string, string>
}

/** The arguments of `serve` besides settings. */
export interface StartOptions {
  readonly fixtures: string | undefined
  readonly demo: boolean
  readonly json: boolean
}

/** The arguments of `audit verify`. */
export interface VerifyOptions {
  readonly account: number | undefined
  readonly head: KnownHead | undefined
  readonly json: boolean
}

const publicSettings = settingNames.filter((name) => settings[name].secret !== true)

const own = {
  fixtures: { type: "string" },
  demo: { type: "boolean" },
  account: { type: "string" },
  head: { type: "string" },
  json: { type: "boolean" },
  config: { type: "string" },
  "with-key": { type: "boolean" },
  deep: { type: "boolean" },
  check: { type: "boolean" },
  from: { type: "string" },
  to: { type: "string" },
  "api-access": { type: "string" },
  email: { type: "string" },
  name: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" }
} as const

type Type = "string" | "boolean"

const types: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...publicSettings.map((name) => [optionOf(name), "string"] as const),
  ...Object.entries(own).map(([name, { type }]) => [name, type] as const)
])

/** The options of each command besides `--help`. */
const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...Object.fromEntries(
    Object.entries(operatorCommands).map(([name, { options, takesSettings }]) => [
      name,
      [...(takesSettings === true ? publicSettings.map(optionOf) : ["data"]), ...options]
    ])
  ),
  serve: [...publicSettings.map(optionOf), "fixtures", "demo", "json"],
  "key rotate": ["data"],
  "audit verify": ["data", "audit-heads", "account", "head", "json"]
}

/** Parses the command line. The last occurrence of an option counts. Throws a `UsageError`. */
export const parseCommandLine = (args: ReadonlyArray<string>): CommandLine => {
  const { given, words } = wordsAndOptions(args)
  if (given.has("help") || words[0] === "help") return { command: "help" }
  if (given.has("version")) return { command: "version" }
  const { command, operand } = commandIn(words)
  const taken = commands[command]
  if (taken === undefined) throw new UsageError(unknownCommand(command))
  for (const name of given.keys()) {
    if (!taken.includes(name) && name !== "config")
      throw new UsageError(`--${name}: not an option of tapedeck ${command}`)
  }
  const options = Object.fromEntries(
    publicSettings.flatMap((name) => {
      const written = given.get(optionOf(name))
      return written === undefined ? [] : [[name, written]]
    })
  )
  const written = { options, config: given.get("config") }
  if (isOperatorCommand(command)) return { command, ...written, arguments: { operand, given } }
  if (command === "key rotate") return { command, ...written }
  if (command === "audit verify") return { command, ...written, verify: verifyOptions(given) }
  const start = { fixtures: given.get("fixtures"), demo: given.has("demo"), json: given.has("json") }
  if (start.demo && start.fixtures !== undefined) throw new UsageError("--demo and --fixtures: give only one of them")
  return { command: "serve", ...written, start }
}

/** The command, and its operand if it takes one. */
const commandIn = (words: ReadonlyArray<string>): { readonly command: string; readonly operand: string } => {
  const length = [2, 1].find((count) => words.slice(0, count).join(" ") in commands) ?? words.length
  const command = words.slice(0, length).join(" ")
  const [operand, ...more] = words.slice(length)
  const wanted = isOperatorCommand(command) ? operatorCommands[command].operand : undefined
  if (wanted !== undefined && operand === undefined) throw new UsageError(`tapedeck ${command}: needs ${wanted}`)
  const left = wanted === undefined && operand !== undefined ? operand : more[0]
  if (left !== undefined && command in commands) throw new UsageError(`${left}: tapedeck ${command} does not take it`)
  return { command, operand: operand ?? "" }
}

const verifyOptions = (given: ReadonlyMap<string, string>): VerifyOptions => {
  const [account, head] = [given.get("account"), given.get("head")]
  const id = Number(account)
  if (account !== undefined && !(/^\d+$/.test(account) && id > 0 && Number.isSafeInteger(id))) {
    throw new UsageError(`--account: must be the number of an account, not ${account}`)
  }
  const known = headIn(head ?? "")
  if (head !== undefined && known === undefined) {
    throw new UsageError(`--head: must be SEQ:HASH as an earlier run printed it, not ${head}`)
  }
  return {
    account: account === undefined ? undefined : id,
    head: known,
    json: given.has("json")
  }
}

const unknownCommand = (command: string): string => {
  const all = Object.keys(commands)
  const below = all.filter((name) => name.startsWith(`${command} `))
  if (command === "") return `which command? ${all.join(", ")}`
  if (below.length > 0) return `${command}: which of ${below.map((name) => `tapedeck ${name}`).join(", ")}?`
  const meant = suggest(command, all)
  return `${command}: no such command${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
}

/** The words, and the values by option; an option without a value has an empty one. */
const wordsAndOptions = (args: ReadonlyArray<string>) => {
  const options = Object.fromEntries([...types].map(([name, type]) => [name, { type }]))
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: own.help },
    strict: false,
    allowPositionals: true,
    tokens: true
  })
  const words: Array<string> = []
  const given = new Map<string, string>()
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue
    if (token.kind === "positional") {
      words.push(token.value)
      continue
    }
    const { inlineValue, name, rawName, value } = token
    const type = types.get(name)
    if (type === undefined) throw new UsageError(`${rawName}: no such option${meantOption(name)}`)
    if (type === "boolean" && value !== undefined) throw new UsageError(`${rawName}: takes no value`)
    // In `--host --json` the value is missing.
    const isForgotten = value === undefined || value === "" || (inlineValue !== true && value.startsWith("-"))
    if (type === "string" && isForgotten) throw new UsageError(`${rawName}: needs a value`)
    given.set(name, value ?? "")
  }
  return { words, given }
}

const meantOption = (written: string): string => {
  const names = [...types.keys()]
  const meant = suggest(written, names) ?? names.find((name) => name.startsWith(written))
  return meant === undefined ? "" : ` (did you mean --${meant}?)`
}
