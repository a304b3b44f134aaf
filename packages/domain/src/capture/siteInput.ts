import * as Schema from "effect/Schema"
import { atMost, change, flag, label, listUpTo, nullableTextId, object, optional } from "../input/fields.ts"
import { HelpdeskPlatform } from "../recordings/helpdesk.ts"
import { originProblem } from "./origins.ts"

/** Maximum number of sites of an account. */
export const MAX_SITES = 200

const rule = Schema.String.annotate({ message: "must be a string" }).check(
  Schema.isNonEmpty({ message: "must not be empty" }),
  atMost(255)
)

const maxOrigins = 50

/** Maximum number of items of each list of a site's redaction. */
const maxRules = 100

export const siteRedaction = {
  headers: listUpTo(
    maxRules,
    rule,
    "Headers whose values are redacted, in addition to those that always are."
  ).annotate({
    examples: [["x-tenant"]]
  }),
  query_parameters: listUpTo(
    maxRules,
    rule,
    "Query parameters and fields of bodies whose values are redacted, in addition to those that always are."
  ).annotate({ examples: [["ref"]] }),
  selectors: listUpTo(maxRules, rule, "CSS selectors of the elements that are blurred while recording.").annotate({
    examples: [[".invoice"]]
  }),
  body_urls: listUpTo(
    maxRules,
    rule,
    "Addresses without query whose bodies are recorded; `*` stands for any characters. An address that starts with `!` is never " +
      "recorded, whatever else matches."
  ).annotate({ examples: [["https://api.example.com/orders/*"]] })
}

const origin = Schema.String.annotate({ message: "must be a string" }).check(
  Schema.makeFilter((value) => originProblem(value) ?? true)
)

export const siteHelpdesk = {
  platform: Schema.NullOr(
    HelpdeskPlatform.annotate({ message: `must be one of ${HelpdeskPlatform.literals.join(", ")}, or null` })
  ).annotate({
    description: "Helpdesk of the site's tickets; null for none.",
    examples: ["zendesk"]
  })
}

const required = {
  name: label("Label of the site.").annotate({ examples: ["Shop"] }),
  origins: listUpTo(
    maxOrigins,
    origin,
    "Origins whose pages may be recorded: HTTPS, or loopback. `https://*.example.com` includes all subdomains."
  )
    .check(Schema.isNonEmpty({ message: "must not be empty" }))
    .annotate({ examples: [["https://shop.example.com"]] })
}

const optionalFields = {
  folder_id: nullableTextId("Folder that a recording of the site enters when it is finished; null for none.").annotate({
    examples: ["vip"]
  }),
  helpdesk: object(optional(siteHelpdesk), "Helpdesk of the site's tickets."),
  redaction: object(
    optional(siteRedaction),
    "Redaction of the site's recordings, in addition to what is always redacted."
  ),
  is_enabled: flag("Whether the site can start captures.").annotate({ examples: [true] })
}

export const siteFields = { ...required, ...optionalFields }

export const SiteInput = object(
  { ...required, ...optional(optionalFields) },
  "A site to create. It can start captures unless `is_enabled` is false."
)
export type SiteInput = typeof SiteInput.Type

export const SiteChange = change(siteFields, "Changes to a site. Fields that you omit keep their value.")
export type SiteChange = typeof SiteChange.Type
