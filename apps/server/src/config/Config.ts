import { suggest } from "@tapedeck/core/input"
import { type PartialWorldConfig, retentionOf } from "@tapedeck/fixtures"
import { Result } from "effect"
import { clusterProblems } from "./cluster.ts"
import type { ConfigFile } from "./configFile.ts"
import { edgeProblems } from "./edges.ts"
import { fileProblems } from "./files.ts"
import { ffmpegProblems, mediaProblems } from "./media.ts"
import type { OtlpSignal } from "./observability.ts"
import { proxyProblems } from "./proxy.ts"
import { type FileUnreadable, readGivenFile } from "./readGivenFile.ts"
import { retentionProblems } from "./retention.ts"
import { optionOf, variableOf } from "./setting.ts"
import {
  type Config,
  ConfigInvalid,
  type PlaceOf,
  type SettingName,
  type SettingProblem,
  settingNames,
  settings
} from "./settings.ts"
import { signingInProblems } from "./signingIn.ts"

export { type Config, ConfigInvalid } from "./settings.ts"

/** The operator's input: options by setting, the environment, a file. Each takes precedence over the next. */
export interface Written {
  readonly options: { readonly [Name in SettingName]?: string }
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly file?: ConfigFile | undefined
  /** Problems of the command line. */
  readonly problems?: ReadonlyArray<string> | undefined
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

/** Returns the place where a setting was set, and its text; undefined if it was not set. */
export const whereWritten = (name: SettingName, { environment, file, options }: Written): WrittenText | undefined => {
  const [option, variable, fromFile] = [options[name], environment[variableOf(name)], file?.values[name]]
  if (option !== undefined) return { from: "option", place: `--${optionOf(name)}`, text: option }
  if (variable !== undefined && variable !== "") return { from: "variable", place: variableOf(name), text: variable }
  return fromFile === undefined ? undefined : { from: "file", place: `${file?.path}: ${name}`, text: fromFile }
}

/** The setting that names a file with a secret; undefined for other settings. */
const fileSettingOf = (name: SettingName): SettingName | undefined =>
  settings[name].secret === true ? (`${name}_file` as SettingName) : undefined

/** The places of settings: where a setting, or the file with it, was set; the variable of one that was not. */
export const placesIn =
  (written: Written): PlaceOf =>
  (name) => {
    const file = fileSettingOf(name)
    const found = whereWritten(name, written) ?? (file === undefined ? undefined : whereWritten(file, written))
    return found?.place ?? variableOf(name)
  }

/** The text of a setting; for a secret, the content of the file that contains it. Undefined if not set. */
const textFor = (name: SettingName, written: Written): Result.Result<string | undefined, SettingProblem> => {
  const found = whereWritten(name, written)?.text
  const fileSetting = fileSettingOf(name)
  const file = fileSetting === undefined ? undefined : whereWritten(fileSetting, written)
  if (fileSetting === undefined || file === undefined) return Result.succeed(found)
  if (found !== undefined) return Result.fail({ names: [name, fileSetting], text: "set one of them" })
  return Result.mapError(readSecretFile(file.text), (text) => ({ names: [name], text }))
}

/** Returns all settings and their problems. An invalid setting has its initial value. An empty variable counts as not set. */
export const settingsIn = (
  written: Written
): { readonly config: Config; readonly problems: ReadonlyArray<SettingProblem> } => {
  const inputs = [...(written.problems ?? []), ...(written.file?.problems ?? [])]
  const invalid: Array<SettingProblem> = []
  const valueOf = (name: SettingName): unknown => {
    const { initial, parse } = settings[name]
    const read = Result.flatMap(textFor(name, written), (text): Result.Result<unknown, SettingProblem> => {
      if (text === undefined) return Result.succeed(initial)
      return Result.mapError(parse(text) as Result.Result<unknown, string>, (why) => ({ names: [name], text: why }))
    })
    if (Result.isSuccess(read)) return read.success
    invalid.push(read.failure)
    return initial
  }
  const config = Object.fromEntries(settingNames.map((name) => [name, valueOf(name)])) as unknown as Config
  const combined = [
    ...mediaProblems(config),
    ...ffmpegProblems(whereWritten("ffmpeg", written)?.text, written.environment.PATH),
    ...edgeProblems(config),
    ...signingInProblems(config),
    ...fileProblems(config),
    ...retentionProblems(config),
    ...clusterProblems(config),
    ...proxyProblems(config, written.options.proxy)
  ]
  const problems = [...inputs.map((text) => ({ names: [], text })), ...invalid]
  return { config, problems: [...problems, ...independentOf(problems, combined)] }
}

/** Returns the problems in `more` that do not depend on a setting which is invalid by itself. */
export const independentOf = (
  problems: ReadonlyArray<SettingProblem>,
  more: ReadonlyArray<SettingProblem>
): ReadonlyArray<SettingProblem> => {
  const invalid = new Set(problems.flatMap(({ names }) => names))
  return more.filter(({ dependsOn = [], names }) => ![...names, ...dependsOn].some((name) => invalid.has(name)))
}

/** Reads all settings. Throws a `ConfigInvalid` with all errors, each by the place where the setting was set. */
export const readConfig = (written: Written): Config => {
  const { config, problems } = settingsIn(written)
  if (problems.length > 0) throw invalidConfig(problems, written)
  return config
}

/** The error of invalid settings. It names unknown variables too, because one may be the reason. */
export const invalidConfig = (problems: ReadonlyArray<SettingProblem>, written: Written): ConfigInvalid => {
  const unknown = unknownVariables(written.environment).map((text) => ({ names: [], text }))
  return new ConfigInvalid([...problems, ...unknown], placesIn(written))
}

/** A line for each unknown variable that begins with TAPEDECK_, because it may be a typing error. */
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

/** Returns whether mail is configured. */
export const hasMail = ({ mail_from, smtp_url }: Pick<Config, "mail_from" | "smtp_url">): boolean =>
  smtp_url !== undefined && mail_from !== undefined

/** Returns whether a collector receives this kind of data. */
export const isExported = (
  { otlp_endpoint, otlp_signals }: Pick<Config, "otlp_endpoint" | "otlp_signals">,
  signal: OtlpSignal
): boolean => otlp_endpoint !== undefined && otlp_signals.includes(signal)

/** Settings that decide whether the server counts. */
export type MetricsConfig = Pick<Config, "metrics_port" | "otlp_endpoint" | "otlp_signals">

/** Returns whether the metrics of the server are read. */
export const hasMetrics = (config: MetricsConfig): boolean =>
  config.metrics_port !== undefined || isExported(config, "metrics")

/** The settings with those of a start document, which have the lowest precedence. */
export const underWritten = (written: Written, config: Config, document: PartialWorldConfig): Config => {
  const isWritten = (name: SettingName) => whereWritten(name, written) !== undefined
  const { cors_origins, keep_audit, keep_logs, page_size, public_url, rate_limit, standard_webhooks, vendor } = document
  const { auditMs, logsMs } = retentionOf(document)
  const documentSettings: Partial<Config> = {
    ...(cors_origins !== undefined && { cors_origins }),
    ...(keep_audit !== undefined && { keep_audit: auditMs }),
    ...(keep_logs !== undefined && { keep_logs: logsMs }),
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
    secret = readGivenFile(file).trim()
  } catch (error) {
    return Result.fail(`${file}: ${(error as FileUnreadable).message}`)
  }
  return /^[\x20-\x7e]+$/.test(secret)
    ? Result.succeed(secret)
    : Result.fail(`${file}: must contain a secret on one line`)
}
