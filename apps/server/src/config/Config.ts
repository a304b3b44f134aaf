import { type PartialWorldConfig, type ServiceConfig, suggest } from "@tapedeck/core"
import { Result } from "effect"
import { edgeProblems } from "./edges.ts"
import { mediaProblems } from "./media.ts"
import { type Config, type SettingName, settingNames, settings, variableOf } from "./settings.ts"

export type { Config } from "./settings.ts"

/** What the operator wrote: options by the name of their setting, and the environment. */
export interface Written {
  readonly options: { readonly [Name in SettingName]?: string }
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Settings that cannot be followed, all of them; each line names the variable or option. */
export class ConfigInvalid extends Error {
  override readonly name = "ConfigInvalid"
}

/** Variables besides the settings that have a meaning: `key/` reads them. */
const keyVariables = ["TAPEDECK_KEY", "TAPEDECK_KEY_FILE", "TAPEDECK_NEW_KEY", "TAPEDECK_NEW_KEY_FILE"]

/** Reads every setting. Throws a `ConfigInvalid`. An empty variable counts as none, as compose files write them. */
export const readConfig = ({ environment, options }: Written): Config => {
  const problems: Array<string> = []
  const valueOf = (name: SettingName): unknown => {
    const { initial, parse } = settings[name]
    const written = options[name] ?? environment[variableOf(name)]
    if (written === undefined || (options[name] === undefined && written === "")) return initial
    return Result.match(parse(written) as Result.Result<unknown, string>, {
      onSuccess: (value) => value,
      onFailure: (problem) => {
        problems.push(`${placeOf(name, options)}: ${problem}`)
        return initial
      }
    })
  }
  const config = Object.fromEntries(settingNames.map((name) => [name, valueOf(name)])) as unknown as Config
  problems.push(...mediaProblems(config), ...edgeProblems(config))
  if (problems.length > 0) throw new ConfigInvalid(problems.join("\n"))
  return config
}

/** Where a setting was written, for who has to mend it. */
const placeOf = (name: SettingName, options: Written["options"]): string =>
  options[name] === undefined ? variableOf(name) : `--${name.replaceAll("_", "-")}`

/** A line for each variable that looks like ours and means nothing: a slip of the pen would go unseen. */
export const unknownVariables = (environment: Written["environment"]): ReadonlyArray<string> => {
  const known = [...settingNames.map(variableOf), ...keyVariables]
  return Object.keys(environment)
    .filter((name) => name.startsWith("TAPEDECK_") && !known.includes(name))
    .toSorted()
    .map((name) => {
      const meant = suggest(name, known)
      return `${name}: there is no such variable${meant === undefined ? "" : ` (did you mean ${meant}?)`}`
    })
}

/**
 * The knobs that the use cases know. Links point to `public_url`; without one, to where the server was told to listen
 * (W12: never to where a request came in).
 */
export const serviceConfigOf = (config: Config): ServiceConfig["Service"] => ({
  publicUrl: config.public_url ?? listeningUrl(config),
  vendor: config.vendor,
  pageSize: config.page_size,
  rateLimit: config.rate_limit,
  standardWebhooks: config.standard_webhooks
})

const listeningUrl = ({ host, port, tls_cert }: Config): string => {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `${tls_cert === undefined ? "http" : "https"}://${name}:${port}`
}

/** The settings with the knobs of a start document, which count less than what the operator wrote. */
export const underWritten = (
  { environment, options }: Written,
  config: Config,
  document: PartialWorldConfig
): Config => {
  const isWritten = (name: SettingName) => options[name] !== undefined || (environment[variableOf(name)] ?? "") !== ""
  const { page_size, public_url, rate_limit, standard_webhooks, vendor } = document
  const knobs: Partial<Config> = {
    ...(page_size !== undefined && { page_size }),
    ...(public_url !== undefined && { public_url }),
    ...(standard_webhooks !== undefined && { standard_webhooks }),
    ...(vendor !== undefined && { vendor }),
    ...(rate_limit !== undefined && {
      rate_limit: rate_limit === null ? null : { requests: rate_limit.requests, perMs: rate_limit.per_ms }
    })
  }
  const free = Object.entries(knobs).filter(([name]) => !isWritten(name as SettingName))
  return { ...config, ...Object.fromEntries(free) }
}
