import { cluster } from "./cluster.ts"
import { edges } from "./edges.ts"
import { files } from "./files.ts"
import { keeping } from "./keeping.ts"
import { media } from "./media.ts"
import { proxy } from "./proxy.ts"
import { optional, setting } from "./setting.ts"
import { signingIn } from "./signingIn.ts"
import { durationOf, networks, oneOf, onOff, rateLimit, sizeBytes, text, textKnob, wholeNumber } from "./values.ts"
import { watching } from "./watching.ts"

/**
 * Every setting of the server. Each is an environment variable (`page_size`: `TAPEDECK_PAGE_SIZE`) and, unless it is a
 * secret, an option (`--page-size`), which wins. The key is not among them: `key/` reads it.
 */
export const settings = {
  store: setting({
    value: "sqlite|memory",
    says: "where everything is kept; memory loses it at the end",
    parse: oneOf("sqlite", "memory"),
    initial: "sqlite" as const
  }),
  data: setting({
    value: "DIR",
    says: "the data directory: database, files, key",
    parse: text,
    initial: "./tapedeck-data"
  }),
  host: setting({ value: "ADDRESS", says: "the address to listen on", parse: text, initial: "127.0.0.1" }),
  port: setting({
    value: "N",
    says: "the port to listen on; 0 takes a free one",
    parse: wholeNumber(0, 65_535),
    initial: 4020
  }),
  public_url: optional({
    value: "URL",
    says: "where links in answers and webhooks point to",
    parse: textKnob("public_url"),
    initially: "http:// with host and port"
  }),
  vendor: setting({
    value: "WORD",
    says: "the word in X-<Vendor>-Signature and the own app's platform",
    parse: textKnob("vendor"),
    initial: "Tapedeck"
  }),
  page_size: setting({ value: "N", says: "items on a page of a list", parse: wholeNumber(1), initial: 100 }),
  rate_limit: setting({
    value: "N/DURATION",
    says: "requests of one token, such as 600/PT1M, or off",
    parse: rateLimit,
    initial: null,
    initially: "off"
  }),
  standard_webhooks: setting({
    value: "on|off",
    says: "whether deliveries carry the Standard Webhooks headers",
    parse: onOff,
    initial: true,
    initially: "on"
  }),
  upload_limit: setting({
    value: "SIZE",
    says: "how large an uploaded file may be, such as 500MB",
    parse: sizeBytes,
    initial: 5 * 1024 ** 3,
    initially: "5GB"
  }),
  upload_expiry: setting({
    value: "DURATION",
    says: "how long an upload that can be resumed may take",
    parse: durationOf,
    initial: 24 * 60 * 60 * 1000,
    initially: "P1D"
  }),
  allow_receivers: setting<ReadonlyArray<string>>({
    value: "CIDR,…",
    says: "private networks that webhooks may be sent to",
    parse: networks,
    initial: [],
    initially: "none"
  }),
  ca_file: optional({
    value: "FILE",
    says: "certificates (PEM) that are trusted besides the public ones, in webhooks' TLS",
    parse: text,
    initially: "none"
  }),
  ...proxy,
  concurrency: setting({
    value: "N",
    says: "how many deliveries are under way at a time",
    parse: wholeNumber(1, 1_000),
    initial: 256
  }),
  concurrency_per_host: setting({
    value: "N",
    says: "and how many of them to one receiver",
    parse: wholeNumber(1, 1_000),
    initial: 16
  }),
  ...cluster,
  ...files,
  ...keeping,
  ...media,
  ...edges,
  ...signingIn,
  ...watching
}

export type SettingName = keyof typeof settings

/** What is in force. */
export type Config = { readonly [Name in SettingName]: (typeof settings)[Name]["initial"] }

export const settingNames = Object.keys(settings) as ReadonlyArray<SettingName>

export const variableOf = (name: SettingName): string => `TAPEDECK_${name.toUpperCase()}`

export const optionOf = (name: SettingName): string => name.replaceAll("_", "-")

/** Settings that cannot be followed, all of them; each line names the variable or option. */
export class ConfigInvalid extends Error {
  override readonly name = "ConfigInvalid"
}
