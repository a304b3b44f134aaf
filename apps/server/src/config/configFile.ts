import { suggest } from "@tapedeck/core/input"
import { Result } from "effect"
import { parseDocument } from "yaml"
import { type FileUnreadable, readGivenFile } from "./readGivenFile.ts"
import { variableOf } from "./setting.ts"
import { type SettingName, settingNames } from "./settings.ts"

/** Settings of a file by name, each with the text that its variable would have. */
export interface ConfigFile {
  readonly path: string
  readonly values: { readonly [Name in SettingName]?: string }
  /** Problems of the file, each with its path and the key. */
  readonly problems: ReadonlyArray<string>
}

/** Reads settings from a YAML or JSON file, such as `page_size: 50`. */
export const readConfigFile = (path: string): ConfigFile => {
  const read = documentIn(path)
  if (Result.isFailure(read)) return { path, values: {}, problems: read.failure.map((why) => `${path}: ${why}`) }
  const document = read.success ?? {}
  if (typeof document !== "object" || Array.isArray(document)) {
    return { path, values: {}, problems: [`${path}: must contain settings by name, such as page_size: 50`] }
  }
  const problems: Array<string> = []
  const values = Object.entries(document).flatMap(([name, value]) => {
    const problem = isSetting(name) ? undefined : unknownKey(name)
    const text = problem === undefined ? textOf(value) : undefined
    if (text === undefined)
      problems.push(`${path}: ${name}: ${problem ?? "must be a text, a number, true, false or a list"}`)
    return text === undefined ? [] : [[name, text] as const]
  })
  return { path, values: Object.fromEntries(values), problems }
}

const documentIn = (path: string): Result.Result<unknown, ReadonlyArray<string>> => {
  let text: string
  try {
    text = readGivenFile(path)
  } catch (error) {
    return Result.fail([(error as FileUnreadable).message])
  }
  const document = parseDocument(text, { logLevel: "silent" })
  if (document.errors.length > 0) return Result.fail(document.errors.map(firstLine))
  try {
    return Result.succeed(document.toJS())
  } catch (error) {
    return Result.fail([firstLine(error as Error)])
  }
}

/** First line of an error, which contains the position. The other lines quote the file, which may contain secrets. */
const firstLine = ({ message }: Error): string => {
  const [line = ""] = message.split("\n")
  return line.replace(/:$/, "")
}

const isSetting = (name: string): name is SettingName => (settingNames as ReadonlyArray<string>).includes(name)

const unknownKey = (name: string): string => {
  const variable = settingNames.find((one) => variableOf(one) === name)
  const meant = variable ?? suggest(name, settingNames)
  return `there is no such setting${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === "boolean") return value ? "on" : "off"
  if (typeof value === "string" || typeof value === "number") return String(value)
  if (!Array.isArray(value)) return undefined
  const parts = value.map(textOf)
  return parts.includes(undefined) ? undefined : parts.join(",")
}
