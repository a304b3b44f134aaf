import { parseArgs } from "node:util"
import type { KnownHead } from "@tapedeck/core"
import { suggest } from "@tapedeck/core/input"
import { optionOf } from "../config/setting.ts"
import { type SettingName, settingNames, settings } from "../config/settings.ts"
import { headIn } from "../doctor/audit/headText.ts"
import { isOperatorCommand, type OperatorCommand, operatorCommands } from "./operatorCommands.ts"

/** An invalid command line; the message names the option. */
export class UsageError extends Error {
  readonly _tag = "UsageError"
  override readonly name = "UsageError"
}

/** Texts of settings, by name. */
export type SettingOptions = { readonly [Name in SettingName]?: string }

export type CommandLine =
  /** `of` is a command, the first words of some, or empty. */
  { readonly command: "help"; readonly of: string } | { readonly command: "version" } | Following

/** A command that uses settings. */
export type Following = {
  readonly options: SettingOptions
  /** The file that `--config` names. */
  readonly config: string | undefined
  /** Problems of options and operands, each with its name. */
  readonly problems: ReadonlyArray<string>
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
  readonly optionValues: ReadonlyMap<string, string>
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

const commandOptions = {
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

export type OwnOption = keyof typeof commandOptions

/** Options that are no settings. */
export const ownOptions = Object.keys(commandOptions) as ReadonlyArray<OwnOption>

type Type = "string" | "boolean"

const types: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...publicSettings.map((name) => [optionOf(name), "string"] as const),
  ...Object.entries(commandOptions).map(([name, { type }]) => [name, type] as const)
])

/** The options of each command besides `--config` and `--help`. */
export const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
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

/** Parses the command line. The last occurrence of an option counts. Throws a `UsageError` if it does not name a command. */
export const parseCommandLine = (args: ReadonlyArray<string>): CommandLine => {
  const read = wordsAndOptions(args)
  const { optionValues, words } = read
  if (optionValues.has("help") || words[0] === "help") return helpOf(words[0] === "help" ? words.slice(1) : words)
  if (optionValues.has("version")) return { command: "version" }
  const { command, operands } = commandIn(words)
  const taken = commands[command]
  if (taken === undefined) throw new UsageError([unknownCommand(command), ...read.problems].join("\n"))
  const { operand, problems: ofOperands } = operandIn(command, operands, read.doubtful)
  const stray = [...optionValues.keys()].filter((name) => !taken.includes(name) && name !== "config")
  const problems = [
    ...read.problems,
    ...stray.map((name) => `--${name}: not an option of tapedeck ${command}`),
    ...ofOperands,
    ...requiredOf(command).flatMap((name) => (optionValues.has(name) ? [] : [`--${name}: is required`]))
  ]
  const options = Object.fromEntries(
    publicSettings.flatMap((name) => {
      const written = optionValues.get(optionOf(name))
      return written === undefined ? [] : [[name, written]]
    })
  )
  const written = { options, config: optionValues.get("config"), problems }
  if (isOperatorCommand(command)) return { command, ...written, arguments: { operand, optionValues } }
  if (command === "key rotate") return { command, ...written }
  if (command === "audit verify") {
    const { problems: ofVerify, verify } = verifyOptions(optionValues)
    return { command, ...written, problems: [...problems, ...ofVerify], verify }
  }
  const start = {
    fixtures: optionValues.get("fixtures"),
    demo: optionValues.has("demo"),
    json: optionValues.has("json")
  }
  const both = start.demo && start.fixtures !== undefined ? ["--demo and --fixtures: give only one of them"] : []
  return { command: "serve", ...written, problems: [...problems, ...both], start }
}

/** The command, or all words if they begin with none, and the words after it. */
const commandIn = (words: ReadonlyArray<string>) => {
  const length = [2, 1].find((count) => words.slice(0, count).join(" ") in commands) ?? words.length
  return { command: words.slice(0, length).join(" "), operands: words.slice(length) }
}

const requiredOf = (command: string): ReadonlyArray<string> =>
  (isOperatorCommand(command) && operatorCommands[command].required) || []

const helpOf = (words: ReadonlyArray<string>): CommandLine => {
  const { command } = commandIn(words)
  const isKnown = command === "" || command in commands || commandsBelow(command).length > 0
  if (!isKnown) throw new UsageError(unknownCommand(command))
  return { command: "help", of: command }
}

/** The operand of the command if it takes one. A doubtful word is no error, because the option before it is one. */
const operandIn = (command: string, operands: ReadonlyArray<string>, doubtful: ReadonlySet<string>) => {
  const wanted = isOperatorCommand(command) ? operatorCommands[command].operand : undefined
  const [operand = ""] = operands
  const stray = operands.slice(wanted === undefined ? 0 : 1).filter((word) => !doubtful.has(word))
  return {
    operand,
    problems: [
      ...(wanted !== undefined && operand === "" ? [`${wanted}: is required`] : []),
      ...stray.map((word) => `${word}: tapedeck ${command} does not take it`)
    ]
  }
}

const verifyOptions = (optionValues: ReadonlyMap<string, string>) => {
  const [account, head] = [optionValues.get("account"), optionValues.get("head")]
  const id = Number(account)
  const known = headIn(head ?? "")
  const isAccount = account === undefined || (/^\d+$/.test(account) && id > 0 && Number.isSafeInteger(id))
  const verify: VerifyOptions = {
    account: account === undefined ? undefined : id,
    head: known,
    json: optionValues.has("json")
  }
  return {
    verify,
    problems: [
      ...(isAccount ? [] : [`--account: must be the number of an account, not ${account}`]),
      ...(head !== undefined && known === undefined
        ? [`--head: must be SEQ:HASH as an earlier run printed it, not ${head}`]
        : [])
    ]
  }
}

/** Commands of two words that begin with this one. */
const commandsBelow = (word: string): ReadonlyArray<string> =>
  Object.keys(commands).filter((name) => name.startsWith(`${word} `))

const unknownCommand = (command: string): string => {
  const all = Object.keys(commands)
  const below = commandsBelow(command)
  if (command === "") return `a command is required: ${all.join(", ")}`
  if (below.length > 0)
    return `${command}: a subcommand is required: ${below.map((name) => `tapedeck ${name}`).join(", ")}`
  const meant = suggest(command, [...all, ...all.map((name) => name.replace(/ .*/, ""))])
  return `${command}: no such command${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
}

interface Parsed {
  readonly words: ReadonlyArray<string>
  /** Words that may be values, because they follow an unknown option. */
  readonly doubtful: ReadonlySet<string>
  /** The values by option. An option that takes none has an empty one. */
  readonly optionValues: ReadonlyMap<string, string>
  readonly problems: ReadonlyArray<string>
}

const wordsAndOptions = (args: ReadonlyArray<string>): Parsed => {
  const options = Object.fromEntries([...types].map(([name, type]) => [name, { type }]))
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: commandOptions.help },
    strict: false,
    allowPositionals: true,
    tokens: true
  })
  const words: Array<string> = []
  const doubtful = new Set<string>()
  const optionValues = new Map<string, string>()
  const problems: Array<string> = []
  let isAfterUnknown = false
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue
    if (token.kind === "positional") {
      words.push(token.value)
      if (isAfterUnknown) doubtful.add(token.value)
      isAfterUnknown = false
      continue
    }
    const { index, inlineValue, name, rawName, value = "" } = token
    const type = types.get(name)
    isAfterUnknown = type === undefined && inlineValue !== true
    const isOption = inlineValue === false && value.startsWith("-")
    if (type === undefined) problems.push(`${rawName}: no such option${meantOption(name)}`)
    else if (type === "boolean" && inlineValue === true) problems.push(`${rawName}: takes no value`)
    else if (type === "string" && (value === "" || isOption)) problems.push(`${rawName}: needs a value`)
    else optionValues.set(name, value)
    if (type !== "string" || !isOption) continue
    // The value is missing in `--host --json`: `--json` is read as an option.
    const rest = wordsAndOptions(args.slice(index + 1))
    return {
      words: [...words, ...rest.words],
      doubtful: new Set([...doubtful, ...rest.doubtful]),
      optionValues: new Map([...optionValues, ...rest.optionValues]),
      problems: [...problems, ...rest.problems]
    }
  }
  return { words, doubtful, optionValues, problems }
}

const meantOption = (written: string): string => {
  const names = [...types.keys()]
  const meant = suggest(written, names) ?? names.find((name) => name.startsWith(written))
  return meant === undefined ? "" : ` (did you mean --${meant}?)`
}
