import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { dateTime, text } from "../wire/fields.ts"
import { Pagination } from "../wire/Pagination.ts"
import { PageQuery } from "../wire/parameters.ts"
import {
  bodyErrors,
  created,
  id,
  idParameter,
  listOf,
  noContent,
  noSuch,
  nullableTextAs,
  textAs,
  textsAs,
  textsFrom
} from "./fields.ts"
import { AdminAccess, IdempotentPost } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"

const params = { id: idParameter("site") }

/** Redaction of a site, in responses. */
export const redaction = Schema.Struct({
  headers: textsAs(input.siteRedaction.headers),
  query_parameters: textsAs(input.siteRedaction.query_parameters),
  selectors: textsAs(input.siteRedaction.selectors),
  body_urls: textsAs(input.siteRedaction.body_urls)
}).annotate(textsFrom(input.siteFields.redaction))

export const Site = Schema.Struct({
  id: id("site"),
  name: textAs(input.siteFields.name),
  origins: textsAs(input.siteFields.origins),
  folder_id: nullableTextAs(input.siteFields.folder_id),
  helpdesk: Schema.Struct({ platform: nullableTextAs(input.siteHelpdesk.platform) }).annotate(
    textsFrom(input.siteFields.helpdesk)
  ),
  redaction,
  is_enabled: Schema.Boolean.annotate(textsFrom(input.siteFields.is_enabled)),
  key: text("Public key by which `capture.js` names the site.", "0b0a4c579d3e4f1f8a8b9c107d0f3c1e"),
  created_at: dateTime("Time at which the site was created.")
}).annotate({ identifier: "Site", description: "A web site of the account on which `capture.js` runs." })
export type Site = typeof Site.Type

export const SitePage = Schema.Struct({
  pagination: Pagination,
  sites: listOf(Site, "The sites of this page.")
}).annotate({ identifier: "SitePage", description: "A page of sites." })

export const SiteInput = input.SiteInput.annotate({
  identifier: "SiteInput",
  examples: [{ name: "Shop", origins: ["https://shop.example.com"] }]
})

export const SiteChange = input.SiteChange.annotate({ identifier: "SiteChange", examples: [{ is_enabled: false }] })

const list = HttpApiEndpoint.get("list", "/sites", { query: PageQuery, success: SitePage })
  .annotateMerge(
    about("sites.list", "List sites", "Lists the sites of the account, in the order in which they were created.")
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const create = HttpApiEndpoint.post("create", "/sites", {
  headers: idempotencyKey,
  payload: SiteInput,
  success: created(Site),
  error: [...bodyErrors, errorV2("Conflict", `The account has ${input.MAX_SITES} sites, which is the maximum.`)]
})
  .annotateMerge(
    about("sites.create", "Create a site", "Creates a web site whose pages `capture.js` can record.", "site.created")
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/sites/:id", { params, success: Site, error: noSuch("site") })
  .annotateMerge(about("sites.get", "Get a site", "Returns a site."))
  .middleware(AdminAccess)

const update = HttpApiEndpoint.patch("update", "/sites/:id", {
  params,
  payload: SiteChange,
  success: Site,
  error: [...bodyErrors, noSuch("site")]
})
  .annotateMerge(about("sites.update", "Update a site", "Fields that you omit keep their value.", "site.updated"))
  .middleware(AdminAccess)

const remove = HttpApiEndpoint.delete("delete", "/sites/:id", {
  params,
  success: noContent("The site is deleted."),
  error: noSuch("site")
})
  .annotateMerge(about("sites.delete", "Delete a site", "Deletes a site. Its recordings are kept.", "site.deleted"))
  .middleware(AdminAccess)

export class Sites extends HttpApiGroup.make("sites")
  .add(list, create, read, update, remove)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Sites",
      description: "Web sites on which `capture.js` records the screens of customers."
    })
  ) {}
