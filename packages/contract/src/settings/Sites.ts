import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { dateTime, nullableText, text } from "../wire/fields.ts"
import { Pagination } from "../wire/Pagination.ts"
import { PageQuery } from "../wire/parameters.ts"
import { about, bodyErrors, created, flag, id, idParameter, listOf, noContent, noSuch, optional } from "./fields.ts"
import { AdminAccess, IdempotentPost } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"

const params = { id: idParameter("site") }

export const strings = (description: string, example: string) =>
  Schema.Array(Schema.String).annotate({ description, examples: [[example]] })

export const redaction = {
  headers: strings("Headers whose values are redacted, besides those that always are.", "x-tenant"),
  query_parameters: strings("Query parameters and fields whose values are redacted.", "ref"),
  selectors: strings("CSS selectors of what is blurred while recording.", ".invoice"),
  body_urls: strings(
    "Addresses without query whose bodies are kept; `*` stands for any characters. With `!` before it, never: refusal wins.",
    "https://api.example.com/orders/*"
  )
}

const platform = nullableText("One of the eight helpdesks; null: none.", "zendesk")

const name = text("Label.", "Shop")
const origins = strings(
  "HTTPS, or loopback; `https://*.example.com` for all subdomains. 1 to 50.",
  "https://shop.example.com"
)
const folder_id = nullableText("The folder that recordings enter when they are finished.", "vip")
const is_enabled = flag("Whether it begins captures.")

export const Site = Schema.Struct({
  id: id("site"),
  name,
  origins,
  folder_id,
  helpdesk: Schema.Struct({ platform }).annotate({ description: "The helpdesk of its tickets." }),
  redaction: Schema.Struct(redaction).annotate({ description: "What is redacted, besides what always is." }),
  is_enabled,
  key: text("Public: what `capture.js` names the site by.", "0b0a4c579d3e4f1f8a8b9c107d0f3c1e"),
  created_at: dateTime("When it was made.")
}).annotate({ identifier: "Site", description: "A web site of the account on which `capture.js` runs." })
export type Site = typeof Site.Type

export const SitePage = Schema.Struct({
  pagination: Pagination,
  sites: listOf(Site, "The sites of this page, in the order in which they were made.")
}).annotate({ identifier: "SitePage", description: "A page of sites." })

const others = {
  folder_id,
  helpdesk: Schema.Struct(optional({ platform })).annotate({ description: "The helpdesk of its tickets." }),
  redaction: Schema.Struct(optional(redaction)).annotate({
    description: "What is redacted, besides what always is: each list has at most 100 items."
  }),
  is_enabled
}

export const SiteInput = Schema.Struct({ name, origins, ...optional(others) }).annotate({
  identifier: "SiteInput",
  description: "A site to make.",
  examples: [{ name: "Shop", origins: ["https://shop.example.com"] }]
})

export const SiteChange = Schema.Struct(optional({ name, origins, ...others })).annotate({
  identifier: "SiteChange",
  description: "What to change of a site.",
  examples: [{ is_enabled: false }]
})

const list = HttpApiEndpoint.get("list", "/sites", { query: PageQuery, success: SitePage })
  .annotateMerge(about("sites.list", "List sites", "All sites of the account; for admins only."))
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const create = HttpApiEndpoint.post("create", "/sites", {
  headers: idempotencyKey,
  payload: SiteInput,
  success: created(Site),
  error: [...bodyErrors, errorV2("Conflict", "The account has 200 sites already.")]
})
  .annotateMerge(about("sites.create", "Make a site", "For admins only."))
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/sites/:id", { params, success: Site, error: noSuch("site") })
  .annotateMerge(about("sites.get", "Get a site", "One site; for admins only."))
  .middleware(AdminAccess)

const update = HttpApiEndpoint.patch("update", "/sites/:id", {
  params,
  payload: SiteChange,
  success: Site,
  error: [...bodyErrors, noSuch("site")]
})
  .annotateMerge(about("sites.update", "Change a site", "What is left out stays; for admins only."))
  .middleware(AdminAccess)

const remove = HttpApiEndpoint.delete("delete", "/sites/:id", {
  params,
  success: noContent("The site is gone."),
  error: noSuch("site")
})
  .annotateMerge(about("sites.delete", "Delete a site", "Its recordings stay; for admins only."))
  .middleware(AdminAccess)

export class Sites extends HttpApiGroup.make("sites")
  .add(list, create, read, update, remove)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Sites", description: "Web sites that record their customers' screens." })
  ) {}
