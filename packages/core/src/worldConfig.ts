import { isIP } from "node:net"
import { Schema } from "effect"
import { defaultServiceConfig, type ServiceConfig } from "./ServiceConfig.ts"
import { flag, integer, list, object, optional, text } from "./startDocument/fields.ts"

const pattern = (expression: RegExp, message: string, description: string) =>
  Schema.String.annotate({ message, description }).check(Schema.isPattern(expression, { message }))

const positive = (description: string) =>
  integer("must be an integer of at least 1", { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, description)

const receiverMessage = "must be a host name, an IP address or a CIDR"
const receiver = text("A host name, an IP address or a CIDR.")
  .annotate({ message: receiverMessage })
  .check(Schema.makeFilter((entry) => isReceiver(entry) || receiverMessage))

const isReceiver = (entry: string): boolean => {
  const [address = "", prefix, ...rest] = entry.split("/")
  const family = isIP(address)
  if (prefix === undefined) return family !== 0 || /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/.test(entry)
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)
}

const knobs = {
  public_url: pattern(
    /^https?:\/\/[^\s/?#]+(\/[^\s?#]*[^\s/?#])?$/,
    "must be an http or https URL without a slash at its end",
    "Where links in answers and payloads point to (W12)."
  ),
  vendor: pattern(
    /^[A-Za-z][A-Za-z0-9]*$/,
    "must be a word of letters and digits",
    "The word in `X-<Vendor>-Signature` and, in lower case, the own-app value of `platform` (N2)."
  ),
  page_size: positive("Items on a page of a list (R6)."),
  rate_limit: Schema.NullOr(
    object({ requests: positive("How many,"), per_ms: positive("in how many milliseconds.") }, "By token.")
  ).annotate({ message: "must be an object or null", description: "No limit by default (R18)." }),
  standard_webhooks: flag("Whether deliveries carry the Standard Webhooks headers (W2)."),
  real_timeout_ms: positive("How long, in wall time, a real receiver is waited for."),
  allow_receivers: list(receiver, "Receivers, besides loopback, that may be called, by plain HTTP too."),
  journal_size: integer(
    "must be an integer of at least 0",
    { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    "How many entries the journal keeps."
  )
}

/** Every knob, as start documents and the control plane write it. The last three are the emulator's alone. */
export const WorldConfig = object(knobs, "Every knob.")
export type WorldConfig = typeof WorldConfig.Type

/** The knobs that a caller turns. */
export const PartialWorldConfig = object(
  optional(knobs),
  "The knobs that are turned; the others stay at their default."
)
export type PartialWorldConfig = typeof PartialWorldConfig.Type

export const defaultWorldConfig: WorldConfig = {
  public_url: defaultServiceConfig.publicUrl,
  vendor: defaultServiceConfig.vendor,
  page_size: defaultServiceConfig.pageSize,
  rate_limit: null,
  standard_webhooks: defaultServiceConfig.standardWebhooks,
  real_timeout_ms: 5_000,
  allow_receivers: [],
  journal_size: 10_000
}

/** The knobs that the use cases know. */
export const serviceConfigOf = (config: WorldConfig): ServiceConfig["Service"] => ({
  publicUrl: config.public_url,
  vendor: config.vendor,
  pageSize: config.page_size,
  rateLimit:
    config.rate_limit === null ? null : { requests: config.rate_limit.requests, perMs: config.rate_limit.per_ms },
  standardWebhooks: config.standard_webhooks
})
