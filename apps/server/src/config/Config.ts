import { readFileSync } from "node:fs"
import type { ServiceConfig } from "@tapedeck/core"
import { suggest } from "@tapedeck/core/input"
import type { PartialWorldConfig } from "@tapedeck/fixtures"
import { Result } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { clusterProblems } from "./cluster.ts"
import type { ConfigFile } from "./configFile.ts"
import { edgeProblems } from "./edges.ts"
import { fileProblems } from "./files.ts"
import { ffmpegProblems, mediaProblems } from "./media.ts"
import { proxyProblems } from "./proxy.ts"
import { retentionProblems } from "./retention.ts"
import {
  type Config,
  ConfigInvalid,
  optionOf,
  type SettingName,
  settingNames,
  settings,
  variableOf
} from "./settings.ts"
import { signingInProblems } from "./signingIn.ts"

export { type Config, ConfigInvalid } from "./settings.ts"

/** The operator's input: options by setting, the environment, a file. Each takes precedence over the next. */
export interface Written {
  readonly options: { readonly [Name in SettingName]?: string }
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly file?: ConfigFile | undefined
}

/** Variables that are not settings: `key/` reads them. */
const keyVariables = ["TAPEDECK_KEY", "TAPEDECK_KEY_FILE", "TAPEDECK_NEW_KEY", "TAPEDECK_NEW_KEY_FILE"]
const otherVariables = [...keyVariables, "TAPEDECK_CONFIG"]

/** A setting's text, and the name of the place where it was set. */
interface WrittenText {
  readonly from: "option" | "variable" | "file"
  readonly place: string
  readonly text: string
}

/** Where a setting was set, and its text; undefined if it was not set. */
export const whereWritten = (name: SettingName, { environment, file, options }: Written): WrittenText | undefined => {
  const [option, variable, fromFile] = [options[name], environment[variableOf(name)], file?.values[name]]
  if (option !== undefined) return { from: "option", place: `--${optionOf(name)}`, text: option }
  if (variable !== undefined && variable !== "") return { from: "variable", place: variableOf(name), text: variable }
  return fromFile === undefined ? undefined : { from: "file", place: `${file?.path}: ${name}`, text: fromFile }
}

/** The text of a setting; for a secret, the content of the file that contains it. Undefined if not set. Fails with the name. */
const writtenFor = (name: SettingName, written: Written): Result.Result<WrittenText | undefined, string> => {
  const found = whereWritten(name, written)
  const file = settings[name].secret === true ? whereWritten(`${name}_file` as SettingName, written) : undefined
  if (file === undefined) return Result.succeed(found)
  if (found !== undefined) return Result.fail(`${found.place} and ${file.place}: set one of them`)
  return Result.mapBoth(readSecretFile(file.text), {
    onSuccess: (text) => ({ ...file, text }),
    onFailure: (problem) => `${file.place}: ${problem}`
  })
}

/** Reads all settings. An empty variable counts as not set, as compose files write them. Throws a `ConfigInvalid`. */
export const readConfig = (written: Written): Config => {
  const problems: Array<string> = []
  const valueOf = (name: SettingName): unknown => {
    const { initial, parse } = settings[name]
    const read = Result.flatMap(writtenFor(name, written), (found): Result.Result<unknown, string> => {
      if (found === undefined) return Result.succeed(initial)
      const parsed = parse(found.text) as Result.Result<unknown, string>
      return Result.mapError(parsed, (problem) => `${found.place}: ${problem}`)
    })
    if (Result.isSuccess(read)) return read.success
    problems.push(read.failure)
    return initial
  }
  const config = Object.fromEntries(settingNames.map((name) => [name, valueOf(name)])) as unknown as Config
  problems.push(
    ...mediaProblems(config),
    ...ffmpegProblems(whereWritten("ffmpeg", written), written.environment.PATH),
    ...edgeProblems(config),
    ...signingInProblems(config),
    ...fileProblems(config),
    ...retentionProblems(config),
    ...clusterProblems(config),
    ...proxyProblems(config, written.options.proxy)
  )
  if (problems.length > 0) throw new ConfigInvalid(problems.join("\n"))
  return config
}

/** A warning for each unknown variable that begins with TAPEDECK_, because it may be a typing error. */
export const unknownVariables = (environment: Written["environment"]): ReadonlyArray<string> => {
  const known = [...settingNames.map(variableOf), ...otherVariables]
  return Object.keys(environment)
    .filter((name) => name.startsWith("TAPEDECK_") && !known.includes(name))
    .toSorted()
    .map((name) => {
      const meant = suggest(name, known)
      return `${name}: there is no such variable${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
    })
}

/** Where the server listens. The port 0 is replaced by the actual one once it listens. */
export interface Listening {
  port: number
}

/**
 * The settings of the use cases. Links point to `public_url`; without one, to the configured address of the server
 * (W12: never to the address of a request).
 */
export const serviceConfigOf = (
  config: Config,
  listening: Listening = { port: config.port }
): ServiceConfig["Service"] => ({
  get publicUrl() {
    return config.public_url ?? listeningUrl(config, listening)
  },
  vendor: config.vendor,
  version: packageJson.version,
  pageSize: config.page_size,
  rateLimit: config.rate_limit,
  standardWebhooks: config.standard_webhooks,
  corsOrigins: config.cors_origins
})

const listeningUrl = ({ host, tls_cert }: Config, { port }: Listening): string => {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `${tls_cert === undefined ? "http" : "https"}://${name}:${port}`
}

/** The settings with those of a start document, which have the lowest precedence. */
export const underWritten = (written: Written, config: Config, document: PartialWorldConfig): Config => {
  const isWritten = (name: SettingName) => whereWritten(name, written) !== undefined
  const { cors_origins, page_size, public_url, rate_limit, standard_webhooks, vendor } = document
  const documentSettings: Partial<Config> = {
    ...(cors_origins !== undefined && { cors_origins }),
    ...(page_size !== undefined && { page_size }),
    ...(public_url !== undefined && { public_url }),
    ...(standard_webhooks !== undefined && { standard_webhooks }),
    ...(vendor !== undefined && { vendor }),
    ...(rate_limit !== undefined && {
      rate_limit: rate_limit === null ? null : { requests: rate_limit.requests, perMs: rate_limit.per_ms }
    })
  }
  const free = Object.entries(documentSettings).filter(([name]) => !isWritten(name as SettingName))
  return { ...config, ...Object.fromEntries(free) }
}

/** The secret in a file, on one line; or an error that contains nothing of it. */
const readSecretFile = (file: string): Result.Result<string, string> => {
  let secret: string
  try {
    secret = readFileSync(file, "utf8").trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return Result.fail(`${file}: ${code === "ENOENT" ? "no such file" : message}`)
  }
  return /^[\x20-\x7e]+$/.test(secret)
    ? Result.succeed(secret)
    : Result.fail(`${file}: it must hold a secret, on one line`)
}
