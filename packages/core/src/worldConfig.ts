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

const originMessage = "must be an origin such as https://app.example.com"
const origin = text("Scheme, host and, if it is not the usual one, port: `https://app.example.com`.")
  .annotate({ message: originMessage })
  .check(Schema.makeFilter((value) => isOrigin(value) || originMessage))

/** As browsers write it in `Origin`. */
export const isOrigin = (value: string): boolean =>
  /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value

const defaults = {
  public_url: defaultServiceConfig.publicUrl,
  vendor: defaultServiceConfig.vendor,
  page_size: defaultServiceConfig.pageSize,
  rate_limit: null,
  standard_webhooks: defaultServiceConfig.standardWebhooks,
  real_timeout_ms: 5_000,
  allow_receivers: [],
  journal_size: 10_000
}

const knobs = {
  public_url: pattern(
    /^https?:\/\/[^\s/?#]+(\/[^\s?#]*[^\s/?#])?$/,
    "must be an http or https URL without a slash at its end",
    `Origin and path of the links in answers and payloads (W12). Default: \`${defaults.public_url}\`.`
  ),
  vendor: pattern(
    /^[A-Za-z][A-Za-z0-9]*$/,
    "must be a word of letters and digits",
    `The word in \`X-<Vendor>-Signature\` and, in lower case, the own-app value of \`platform\` (N2). Default: \`${defaults.vendor}\`.`
  ),
  page_size: positive(`Items on a page of a list (R6). Default: ${defaults.page_size}.`),
  rate_limit: Schema.NullOr(
    object(
      { requests: positive("Requests in a window."), per_ms: positive("Length of a window, in milliseconds.") },
      "By token."
    )
  ).annotate({
    message: "must be an object or null",
    description: "Requests that a token may make in a window of time (R18). Default: null, no limit."
  }),
  standard_webhooks: flag(
    `Whether deliveries carry the Standard Webhooks headers (W2). Default: ${defaults.standard_webhooks}.`
  ),
  real_timeout_ms: positive(
    `Maximum wall time of a request to a real receiver, in milliseconds. Default: ${defaults.real_timeout_ms}.`
  ),
  allow_receivers: list(receiver, "Receivers, besides loopback, that may be called, by plain HTTP too. Default: none."),
  journal_size: integer(
    "must be an integer of at least 0",
    { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    `Maximum number of entries in the journal. Default: ${defaults.journal_size}.`
  )
}

/** Left out where nothing is set. */
const optionalKnobs = optional({
  cors_origins: list(origin, "Origins whose pages may call the API with a token (R25). Default: none.")
})

/** Every knob, as start documents and the control plane write it; `real_timeout_ms` and the two after it are the emulator's alone. */
export const WorldConfig = object({ ...knobs, ...optionalKnobs }, "Every knob.")
export type WorldConfig = typeof WorldConfig.Type

/** The knobs that a caller turns. */
export const PartialWorldConfig = object(
  { ...optional(knobs), ...optionalKnobs },
  "The knobs that are turned; the others stay at their default."
)
export type PartialWorldConfig = typeof PartialWorldConfig.Type

export const defaultWorldConfig: WorldConfig = defaults

/** The knobs that the use cases know, and the version of the program. */
export const serviceConfigOf = (config: WorldConfig, version: string): ServiceConfig["Service"] => ({
  publicUrl: config.public_url,
  vendor: config.vendor,
  version,
  pageSize: config.page_size,
  rateLimit:
    config.rate_limit === null ? null : { requests: config.rate_limit.requests, perMs: config.rate_limit.per_ms },
  standardWebhooks: config.standard_webhooks,
  corsOrigins: config.cors_origins ?? []
})
