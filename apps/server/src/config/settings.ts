import { cluster } from "./cluster.ts"
import { edges } from "./edges.ts"
import { files } from "./files.ts"
import { media } from "./media.ts"
import { observability } from "./observability.ts"
import { proxy } from "./proxy.ts"
import { retention } from "./retention.ts"
import { optional, type Problem, setting, variableOf } from "./setting.ts"
import { signingIn } from "./signingIn.ts"
import {
  deprecation,
  documentText,
  durationOf,
  networks,
  oneOf,
  onOff,
  rateLimit,
  signedTime,
  sizeBytes,
  text,
  wholeNumber
} from "./values.ts"

/**
 * All settings of the server. Each is an environment variable (`page_size`: `TAPEDECK_PAGE_SIZE`) and, unless it is a secret,
 * an option (`--page-size`), which takes precedence. The key is no setting: `key/` reads it.
 */
export const settings = {
  store: setting({
    value: "sqlite|memory",
    description: "store of the data; memory loses all data when the server stops",
    parse: oneOf("sqlite", "memory"),
    initial: "sqlite" as const
  }),
  data: setting({
    value: "DIR",
    description: "the data directory: database, files, key",
    parse: text,
    initial: "./tapedeck-data"
  }),
  host: setting({ value: "ADDRESS", description: "the address to listen on", parse: text, initial: "127.0.0.1" }),
  port: setting({
    value: "N",
    description: "the port to listen on; 0 for a free one",
    parse: wholeNumber(0, 65_535),
    initial: 4020
  }),
  public_url: optional({
    value: "URL",
    description:
      "base of links in responses and webhooks; with a path, such as /tapedeck, the product is served below that path",
    details: "See [Below a path](operating.md#below-a-path).",
    parse: documentText("public_url"),
    initially: "http:// with host and port"
  }),
  vendor: setting({
    value: "WORD",
    description: "name of the vendor in X-<Vendor>-Signature, and platform of the own app",
    parse: documentText("vendor"),
    initial: "Tapedeck"
  }),
  page_size: setting({
    value: "N",
    description: "number of items on a page of a list",
    parse: wholeNumber(1),
    initial: 100
  }),
  rate_limit: setting({
    value: "N/DURATION",
    description: "maximum number of requests of one token, such as 600/PT1M, or off",
    parse: rateLimit,
    initial: null,
    initially: "off"
  }),
  v1_deprecation: optional({
    value: "DAY[/DAY]",
    description: "day of API v1's deprecation, and of its end, which all its responses then announce",
    parse: deprecation,
    details: "See [the HTTP APIs](versions.md#the-http-apis).",
    initially: "none"
  }),
  standard_webhooks: setting({
    value: "on|off",
    description: "whether deliveries have the Standard Webhooks headers",
    parse: onOff,
    initial: true,
    initially: "on"
  }),
  signed_url_lifetime: setting({
    value: "DURATION",
    description: "minimum validity of signed links to files of recordings that are not public",
    parse: signedTime,
    initial: 7 * 24 * 60 * 60 * 1000,
    initially: "P7D"
  }),
  upload_limit: setting({
    value: "SIZE",
    description: "maximum size of an uploaded file, such as 500MB",
    details: "See [uploading](uploading.md).",
    parse: sizeBytes,
    initial: 5 * 1024 ** 3,
    initially: "5GB"
  }),
  upload_expiry: setting({
    value: "DURATION",
    description: "maximum time of a resumable upload",
    parse: durationOf,
    initial: 24 * 60 * 60 * 1000,
    initially: "P1D"
  }),
  allow_receivers: setting<ReadonlyArray<string>>({
    value: "CIDR,…",
    description: "private networks that webhooks may reach",
    details: "See [Where webhooks may go](webhooks-network.md).",
    parse: networks,
    initial: [],
    initially: "none"
  }),
  ca_file: optional({
    value: "FILE",
    description: "certificates (PEM) to trust for webhooks in addition to the public ones",
    parse: text,
    initially: "none"
  }),
  ...proxy,
  concurrency: setting({
    value: "N",
    description: "maximum number of deliveries in flight",
    parse: wholeNumber(1, 1_000),
    initial: 256
  }),
  concurrency_per_host: setting({
    value: "N",
    description: "maximum number of deliveries in flight to one receiver",
    details: "2 until the host has answered.",
    parse: wholeNumber(1, 1_000),
    initial: 16
  }),
  ...cluster,
  ...files,
  ...retention,
  ...media,
  ...edges,
  ...signingIn,
  ...observability
}

export type SettingName = keyof typeof settings

/** The settings in force. */
export type Config = { readonly [Name in SettingName]: (typeof settings)[Name]["initial"] }

export const settingNames = Object.keys(settings) as ReadonlyArray<SettingName>

export type SettingProblem = Problem<SettingName>

/** The name of the place where a setting is set. */
export type PlaceOf = (name: SettingName) => string

/** One line for each problem, which begins with the places of its settings. */
export const problemLines = (problems: ReadonlyArray<SettingProblem>, placeOf: PlaceOf): string =>
  problems
    .map(({ names, text }) => (names.length === 0 ? text : `${names.map(placeOf).join(" and ")}: ${text}`))
    .join("\n")

/** Invalid settings, all of them. The message names variables, unless `placeOf` knows the places. */
export class ConfigInvalid extends Error {
  readonly _tag = "ConfigInvalid"
  override readonly name = "ConfigInvalid"
  readonly problems: ReadonlyArray<SettingProblem>
  constructor(problems: ReadonlyArray<SettingProblem>, placeOf: PlaceOf = variableOf) {
    super(problemLines(problems, placeOf))
    this.problems = problems
  }
}
