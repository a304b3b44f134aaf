import { SourceUse } from "@tapedeck/domain/capture"
import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about, OptionalBody } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { count, dateTime, text } from "../wire/fields.ts"
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
  numericId,
  textsFrom
} from "./fields.ts"
import { IdempotentPost, MemberAccess } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"
import { Helpdesk } from "./wire/Recording.ts"

const params = { id: idParameter("capture link") }
const noLink = errorV2("NotFound", "The capture link does not exist, or the caller cannot see it.")

/** Sources of a recording, in responses. */
export const sources = Schema.Struct({
  screen: SourceUse.annotate(textsFrom(input.captureSources.screen)),
  microphone: SourceUse.annotate(textsFrom(input.captureSources.microphone)),
  camera: SourceUse.annotate(textsFrom(input.captureSources.camera)),
  logs: SourceUse.annotate(textsFrom(input.captureSources.logs))
}).annotate(textsFrom(input.captureLinkFields.sources))

/** Customer of a recording, in responses. */
const customer = Schema.Struct({
  email: Schema.NullOr(Schema.String.annotate({ format: "email" })).annotate(textsFrom(input.customerFields.email))
}).annotate(textsFrom(input.CustomerInput))

export const CaptureLink = Schema.Struct({
  id: id("capture link"),
  title: nullableTextAs(input.captureLinkFields.title),
  message: nullableTextAs(input.captureLinkFields.message),
  helpdesk: Helpdesk,
  customer,
  folder_id: nullableTextAs(input.captureLinkFields.folder_id),
  site_id: nullableTextAs(input.captureLinkFields.site_id),
  max_uses: Schema.NullOr(Schema.Natural).annotate(textsFrom(input.captureLinkFields.max_uses)),
  max_duration_seconds: Schema.Natural.annotate(textsFrom(input.captureLinkFields.max_duration_seconds)),
  expires_at: Schema.String.annotate({ ...textsFrom(input.captureLinkFields.expires_at), format: "date-time" }),
  redirect_url: nullableTextAs(input.captureLinkFields.redirect_url),
  sources,
  url: text("URL that the customer opens.", "https://tapedeck.test/c/5sZzYb0kq1m3vN8xW2pLr7aTfGhJcKdQ"),
  uses: count("Number of open and finished captures of the link.", 0),
  state: Schema.Literals(["active", "used_up", "expired", "revoked"]).annotate({
    examples: ["active"],
    description: "State of the link. Customers can record with an active link only."
  }),
  created_at: dateTime("Time at which the link was created."),
  created_by: Schema.Struct({
    id: numericId("user", 1),
    name: text("Name of the user.", "Ada"),
    email: text("E-mail address of the user.", "ada@acme.test")
  }).annotate({ description: "User who created the link, and who owns its recordings." })
}).annotate({
  identifier: "CaptureLink",
  description: "Link with which a customer without an account makes recordings of type `Received`."
})
export type CaptureLink = typeof CaptureLink.Type

export const CaptureLinkPage = Schema.Struct({
  pagination: Pagination,
  capture_links: listOf(CaptureLink, "The capture links of this page.")
}).annotate({ identifier: "CaptureLinkPage", description: "A page of capture links." })

const example = { title: "Show us the checkout", helpdesk: { platform: "zendesk", ticket_id: "4711" } }

export const CaptureLinkInput = input.CaptureLinkInput.annotate({ identifier: "CaptureLinkInput", examples: [example] })

export const CaptureLinkChange = input.CaptureLinkChange.annotate({
  identifier: "CaptureLinkChange",
  examples: [example]
})

const list = HttpApiEndpoint.get("list", "/capture-links", { query: PageQuery, success: CaptureLinkPage })
  .annotateMerge(
    about(
      "captureLinks.list",
      "List capture links",
      "Lists capture links, newest first, including revoked links. A member sees their own links, an admin all links of the account."
    )
  )
  .middleware(QueryValidation)
  .middleware(MemberAccess)

const create = HttpApiEndpoint.post("create", "/capture-links", {
  headers: idempotencyKey,
  payload: CaptureLinkInput,
  success: created(CaptureLink),
  error: bodyErrors
})
  .annotate(OptionalBody, true)
  .annotateMerge(
    about(
      "captureLinks.create",
      "Create a capture link",
      "Creates a link with which a customer can record. All fields are optional.",
      "capture_link.created"
    )
  )
  .middleware(IdempotentPost)
  .middleware(MemberAccess)

const read = HttpApiEndpoint.get("read", "/capture-links/:id", { params, success: CaptureLink, error: noLink })
  .annotateMerge(about("captureLinks.get", "Get a capture link", "Returns a capture link."))
  .middleware(MemberAccess)

const update = HttpApiEndpoint.patch("update", "/capture-links/:id", {
  params,
  payload: CaptureLinkChange,
  success: CaptureLink,
  error: [...bodyErrors, noLink, errorV2("Conflict", "The link is revoked.")]
})
  .annotateMerge(
    about(
      "captureLinks.update",
      "Update a capture link",
      "Fields that you omit keep their value.",
      "capture_link.updated"
    )
  )
  .middleware(MemberAccess)

const revoke = HttpApiEndpoint.delete("revoke", "/capture-links/:id", {
  params,
  success: noContent("The link is revoked."),
  error: noSuch("capture link")
})
  .annotateMerge(
    about(
      "captureLinks.revoke",
      "Revoke a capture link",
      "Revokes a link. A revoked link starts no more captures. Its open captures continue, and the link stays in lists.",
      "capture_link.revoked"
    )
  )
  .middleware(MemberAccess)

export class CaptureLinks extends HttpApiGroup.make("captureLinks")
  .add(list, create, read, update, revoke)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Capture links", description: "Links with which customers make recordings." })
  ) {}
