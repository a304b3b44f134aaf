import { isIP } from "node:net"
import { durationMs, parseRetention } from "@tapedeck/core/input"
import { decodeAll } from "@tapedeck/domain/input"
import { isOrigin, PartialWorldConfig } from "@tapedeck/fixtures"
import { Result } from "effect"

/** JSON Schema of a setting in the configuration file. */
export type ValueSchema = Readonly<Record<string, unknown>>

/** Parses a setting's text from the environment or the command line. The failure says what the text must be. */
export interface Parse<A> {
  (text: string): Result.Result<A, string>
  /** JSON Schema of the value, for editors: it may allow more than the parser. Default: a text. */
  readonly schema?: ValueSchema
}

const withSchema = <A>(parse: (text: string) => Result.Result<A, string>, schema: ValueSchema): Parse<A> =>
  Object.assign((text: string) => parse(text), { schema })

export const textSchema: ValueSchema = { type: "string" }

/** A list, or its items with commas between them. */
const listSchema: ValueSchema = { anyOf: [textSchema, { type: "array", items: textSchema }] }

export const text: Parse<string> = (written) =>
  written.trim() === "" ? Result.fail("must not be blank") : Result.succeed(written)

export const oneOf = <const Values extends ReadonlyArray<string>>(...values: Values): Parse<Values[number]> =>
  withSchema(
    (written) =>
      values.includes(written)
        ? Result.succeed(written)
        : Result.fail(`must be ${values.join(" or ")}, not ${written}`),
    { enum: values }
  )

/** Some of these values, with commas between them, each at most once. */
export const someOf = <const Values extends ReadonlyArray<string>>(
  ...values: Values
): Parse<ReadonlyArray<Values[number]>> =>
  withSchema((written) => {
    const list = written.split(",").map((one) => one.trim())
    return list.every((one, at) => values.includes(one) && list.indexOf(one) === at)
      ? Result.succeed(list)
      : Result.fail(`must be some of ${values.join(", ")}, with commas between them, not ${written}`)
  }, listSchema)

export const onOff: Parse<boolean> = withSchema(
  (written) => Result.map(oneOf("on", "off")(written), (value) => value === "on"),
  { enum: ["on", "off", true, false] }
)

export const wholeNumber = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Parse<number> =>
  withSchema(
    (written) => {
      const value = Number(written)
      if (/^\d+$/.test(written) && value >= minimum && value <= maximum) return Result.succeed(value)
      const bounds = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
      return Result.fail(`must be an integer ${bounds}, not ${written}`)
    },
    { type: "integer", minimum, maximum }
  )

/** A setting whose value is a text in start documents too: their schema validates it. */
export const documentText =
  (name: "public_url" | "vendor"): Parse<string> =>
  (written) =>
    Result.match(decodeAll(PartialWorldConfig)({ [name]: written }), {
      onFailure: ([found]) => Result.fail(`${found?.message ?? "is not valid"}, not ${written}`),
      onSuccess: () => Result.succeed(written)
    })

const unitBytes = { "": 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const

/** Bytes, as `1048576`, `500MB` or `5GB`; a unit is 1,024 of the smaller one. */
export const sizeBytes: Parse<number> = withSchema(
  (written) => {
    const [, amount, unit] = /^(\d+) ?([KMGT]B|)$/i.exec(written) ?? []
    const bytes = Number(amount) * unitBytes[(unit ?? "").toUpperCase() as keyof typeof unitBytes]
    return Number.isSafeInteger(bytes) && bytes > 0
      ? Result.succeed(bytes)
      : Result.fail(`must be a size such as 500MB or 5GB, not ${written}`)
  },
  { type: ["string", "integer"] }
)

/** A limit, or `off` for none. */
export const orOff = <A>(parse: Parse<A>): Parse<A | null> =>
  withSchema(
    (written) =>
      written === "off" ? Result.succeed(null) : Result.mapError(parse(written), (must) => `${must}; or off`),
    { anyOf: [{ enum: ["off", false] }, parse.schema ?? textSchema] }
  )

export interface RateLimit {
  readonly requests: number
  readonly perMs: number
}

/** A rate limit of one token, as `600/PT1M`; `off` for none. */
export const rateLimit: Parse<RateLimit | null> = (written) => {
  if (written === "off") return Result.succeed(null)
  const [, requests, per] = /^(\d+)\/(P[0-9A-Z.,]+)$/.exec(written) ?? []
  const limit = { requests: Number(requests), perMs: per === undefined ? 0 : milliseconds(per) }
  return limit.requests > 0 && limit.perMs > 0
    ? Result.succeed(limit)
    : Result.fail(`must be requests/duration, such as 600/PT1M, or off, not ${written}`)
}

export interface Deprecation {
  /** Start of its day, UTC, as is the end. In milliseconds. */
  readonly sinceMs: number
  /** The day from which the API may not answer any more; null: none is set. */
  readonly sunsetMs: number | null
}

/** The deprecation of an API: its day, and after a slash the day of its end, as `2027-01-01/2028-01-01`. */
export const deprecation: Parse<Deprecation> = (written) => {
  const [sinceMs = Number.NaN, sunsetMs = null, ...more] = written.split("/").map(dayMs)
  return more.length === 0 && sinceMs <= (sunsetMs ?? sinceMs)
    ? Result.succeed({ sinceMs, sunsetMs })
    : Result.fail(`must be a day such as 2027-01-01, or two such as 2027-01-01/2028-01-01 in order, not ${written}`)
}

/** Start of a day in UTC; NaN for a text that names none, such as `2027-02-30`. */
const dayMs = (written: string): number => {
  const ms = /^\d{4}-\d\d-\d\d$/.test(written) ? Date.parse(written) : Number.NaN
  return Number.isNaN(ms) || new Date(ms).toISOString().startsWith(written) ? ms : Number.NaN
}

const milliseconds = (written: string): number => {
  try {
    return durationMs(written)
  } catch {
    return 0
  }
}

/** Addresses and CIDRs, separated by commas: `10.0.0.0/8,192.0.2.7`. */
export const networks: Parse<ReadonlyArray<string>> = withSchema((written) => {
  const list = written.split(",").map((one) => one.trim())
  const bad = list.find((one) => !isNetwork(one))
  return bad === undefined
    ? Result.succeed(list)
    : Result.fail(`must be IP addresses and CIDRs such as 10.0.0.0/8, with commas between them; ${bad} is none`)
}, listSchema)

const isNetwork = (written: string): boolean => {
  const [address = "", prefix, ...rest] = written.split("/")
  const family = isIP(address)
  if (family === 0 || address.includes("%") || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

/** Names of variables: `HF_HOME,CUDA_VISIBLE_DEVICES`. The server's own are refused, because they contain secrets. */
export const variableNames: Parse<ReadonlyArray<string>> = withSchema((written) => {
  const names = written.split(",").map((name) => name.trim())
  const bad = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith("TAPEDECK_"))
  return bad === undefined
    ? Result.succeed(names)
    : Result.fail(
        `must be names of variables, with commas between them and none that begins with TAPEDECK_, not ${bad}`
      )
}, listSchema)

/** Origins, separated by commas: `https://app.example.com,http://localhost:3000`. */
export const origins: Parse<ReadonlyArray<string>> = withSchema((written) => {
  const list = written.split(",").map((one) => one.trim())
  const bad = list.find((one) => !isOrigin(one))
  return bad === undefined
    ? Result.succeed(list)
    : Result.fail(`must be origins such as https://app.example.com, with commas between them; ${bad} is none`)
}, listSchema)

export const httpUrl: Parse<string> = (written) =>
  URL.canParse(written) && /^https?:$/.test(new URL(written).protocol)
    ? Result.succeed(written)
    : Result.fail("must be an http or https URL")

/** The failure does not contain the value, because it may contain a password. */
export const proxyUrl: Parse<string> = (written) => {
  const url = URL.canParse(written) ? new URL(written) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === ""
    ? Result.succeed(written)
    : Result.fail("must be an http or https URL without a path, such as http://proxy.internal:3128")
}

/** A duration above zero, as `PT30S`, in milliseconds. */
export const durationOf: Parse<number> = (written) => {
  const ms = milliseconds(written)
  return ms > 0 && ms <= maxTimeoutMs
    ? Result.succeed(ms)
    : Result.fail(`must be an ISO 8601 duration such as PT30S, of more than nothing and at most P24D, not ${written}`)
}

/** A duration of a day to a year, as `P7D`, in milliseconds. */
export const signedTime: Parse<number> = (written) => {
  const ms = milliseconds(written)
  return ms >= 24 * 3_600_000 && ms <= 366 * 24 * 3_600_000
    ? Result.succeed(ms)
    : Result.fail(`must be an ISO 8601 duration of P1D to P366D, such as P7D, not ${written}`)
}

/** A retention time, as `P90D`, or `off` for no limit. */
export const retentionTime: Parse<number | null> = (written) => {
  if (written === "off") return Result.succeed(null)
  const ms = parseRetention(written)
  return ms !== undefined
    ? Result.succeed(ms)
    : Result.fail(`must be an ISO 8601 duration of at least a day, such as P90D, or off, not ${written}`)
}

/** Maximum delay of Node's timers. */
const maxTimeoutMs = 24 * 24 * 3_600_000

export const logLevels = ["trace", "debug", "info", "warn", "error"] as const
export type LogLevel = (typeof logLevels)[number]

/** Headers, as `name=value,other=value`. The failure does not contain the value, because it is secret. */
export const headerPairs: Parse<Readonly<Record<string, string>>> = (written) => {
  const pairs = written.split(",").map((pair) => /^ *([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([\x20-\x7e]+)$/.exec(pair))
  return pairs.every((pair) => pair !== null)
    ? Result.succeed(Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name.toLowerCase(), value])))
    : Result.fail("must be name=value, with commas between more of them")
}
