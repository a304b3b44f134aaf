import { unknownVariables, type Written, whereWritten } from "../config/Config.ts"
import { type SettingName, settingNames, settings } from "../config/settings.ts"
import { readStartConfig } from "../config/startConfig.ts"
import type { OperatorArguments } from "./commandLine.ts"
import { exitCodes } from "./usage.ts"

/** A setting in force. */
interface InForce {
  readonly name: SettingName
  /** Text of the setting; null if it is not set and has no initial value. Secrets are masked. */
  readonly value: string | null
  readonly from: "option" | "variable" | "file" | "default"
  readonly place: string | null
}

const masked = "********"

/**
 * `tapedeck config`: prints the settings in force and where each was set. Reports the errors and warnings that `serve` would,
 * except those that need the network or the data directory.
 */
export const showConfig = (written: Written, { optionValues }: OperatorArguments): number => {
  readStartConfig(written)
  const all = [...settingNames.map((name) => inForce(name, written)), ...keysOf(written)]
  process.stdout.write(optionValues.has("json") ? `${JSON.stringify(viewOf(all))}\n` : textOf(all))
  for (const line of unknownVariables(written.environment)) process.stderr.write(`${line}\n`)
  return exitCodes.stopped
}

const inForce = (name: SettingName, written: Written): InForce => {
  const { initial, initially, secret } = settings[name]
  const found = whereWritten(name, written)
  if (found === undefined) {
    const value = initially ?? (initial === undefined ? null : String(initial))
    return { name, value, from: "default", place: null }
  }
  return { name, value: secret === true ? masked : withoutPassword(found.text), from: found.from, place: found.place }
}

/** The variables of the key: whether they are set, and the path of the file. */
const keysOf = ({ environment }: Written): ReadonlyArray<Omit<InForce, "name"> & { readonly name: string }> =>
  (["TAPEDECK_KEY", "TAPEDECK_KEY_FILE"] as const).flatMap((variable) => {
    const text = environment[variable] ?? ""
    const value = variable === "TAPEDECK_KEY" ? masked : text
    return text === "" ? [] : [{ name: variable.slice(9).toLowerCase(), value, from: "variable", place: variable }]
  })

/** Masks the user and password of a URL, up to the last @, because a password may contain one. */
const withoutPassword = (text: string): string => text.replace(/(\/\/)[^/\s]+@/g, `$1${masked}@`)

type Line = ReturnType<typeof keysOf>[number]

const viewOf = (all: ReadonlyArray<Line>) => ({
  settings: Object.fromEntries(all.map(({ name, ...rest }) => [name, rest]))
})

const textOf = (all: ReadonlyArray<Line>): string => {
  const width = (column: (line: Line) => string) => Math.max(...all.map((line) => column(line).length))
  const value = (line: Line) => line.value ?? "none"
  const [names, values] = [width(({ name }) => name), Math.min(width(value), 40)]
  return all
    .map((line) => `${line.name.padEnd(names)}  ${value(line).padEnd(values)}  ${line.place ?? line.from}\n`)
    .join("")
}
