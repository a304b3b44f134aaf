import { readFileSync } from "node:fs"
import { suggest } from "@tapedeck/core/input"
import { parse } from "yaml"
import { ConfigInvalid, type SettingName, settingNames, variableOf } from "./settings.ts"

/** Settings of a file by name, each with the text that its variable would have. */
export interface ConfigFile {
  readonly path: string
  readonly values: { readonly [Name in SettingName]?: string }
}

/** Reads settings from a YAML or JSON file, such as `page_size: 50`. Throws a `ConfigInvalid` that names the file and the keys. */
export const readConfigFile = (path: string): ConfigFile => {
  const document = documentIn(path)
  if (document === null || document === undefined) return { path, values: {} }
  if (typeof document !== "object" || Array.isArray(document)) {
    throw new ConfigInvalid(`${path}: must contain settings by name, such as page_size: 50`)
  }
  const problems: Array<string> = []
  const values = Object.entries(document).flatMap(([name, value]) => {
    const problem = isSetting(name) ? undefined : unknownKey(name)
    const text = problem === undefined ? textOf(value) : undefined
    if (text === undefined)
      problems.push(`${path}: ${name}: ${problem ?? "must be a text, a number, true, false or a list"}`)
    return text === undefined ? [] : [[name, text] as const]
  })
  if (problems.length > 0) throw new ConfigInvalid(problems.join("\n"))
  return { path, values: Object.fromEntries(values) }
}

const documentIn = (path: string): unknown => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ConfigInvalid(`${path}: ${code === "ENOENT" ? "no such file" : message}`)
  }
  try {
    return parse(text)
  } catch (error) {
    // The first line contains the position. The lines after it quote the file, which may contain secrets.
    const [line = ""] = (error as Error).message.split("\n")
    throw new ConfigInvalid(`${path}: ${line.replace(/:$/, "")}`)
  }
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
