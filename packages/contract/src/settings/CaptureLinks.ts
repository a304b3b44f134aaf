import { SourceUse } from "@tapedeck/domain/capture"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { count, dateTime, nullableCount, nullableEmail, nullableText, text } from "../wire/fields.ts"
import { Pagination } from "../wire/Pagination.ts"
import { PageQuery } from "../wire/parameters.ts"
import { bodyErrors, created, id, idParameter, listOf, noContent, noSuch, numericId, optional } from "./fields.ts"
import { IdempotentPost, MemberAccess } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"
import { Helpdesk } from "./wire/Recording.ts"

const params = { id: idParameter("capture link") }
const noLink = errorV2("NotFound", "There is no such capture link, or the caller may not see it.")

const use = (what: string) =>
  SourceUse.annotate({ description: `Whether ${what} may, or must, be recorded.`, examples: ["optional"] })
export const sources = {
  screen: use("the screen"),
  microphone: use("the microphone"),
  camera: use("the camera"),
  logs: use("the log")
}

const fields = {
  title: nullableText(
    "Shown to the customer, and the recording's title; the one that the customer gives at the end replaces it.",
    "Show us"
  ),
  message: nullableText("Shown to the customer: plain text, up to 2,000 characters.", "Please show us what happens."),
  helpdesk: Helpdesk,
  customer: Schema.Struct({ email: nullableEmail("E-mail address.") }).annotate({ description: "The customer." }),
  folder_id: nullableText("The folder that recordings enter when they are finished.", "vip"),
  site_id: nullableText("The site whose redaction holds.", "0b0a4c57-9d3e-4f1f-8a8b-9c107d0f3c1e"),
  max_uses: nullableCount("How many recordings; null: any number. Default: 1.", 1),
  max_duration_seconds: count("The longest recording, in seconds: up to 14,400. Default: 1,800.", 1_800),
  expires_at: dateTime("From when on it is used no more. Default: in 14 days.", "2026-01-15T09:00:00.000Z"),
  redirect_url: nullableText("Where the customer goes afterwards: HTTPS.", "https://acme.test/thanks")
}

export const CaptureLink = Schema.Struct({
  id: id("capture link"),
  ...fields,
  sources: Schema.Struct(sources).annotate({ description: "What is recorded." }),
  url: text("What the customer opens.", "https://tapedeck.test/c/5sZzYb0kq1m3vN8xW2pLr7aTfGhJcKdQ"),
  uses: count("Open and finished captures.", 0),
  state: Schema.Literals(["active", "used_up", "expired", "revoked"]).annotate({
    examples: ["active"],
    description: "Whether it can be used."
  }),
  created_at: dateTime("When it was made."),
  created_by: Schema.Struct({
    id: numericId("user", 1),
    name: text("Name.", "Ada"),
    email: text("E-mail address.", "ada@acme.test")
  }).annotate({ description: "The owner of its recordings." })
}).annotate({
  identifier: "CaptureLink",
  description: "A link with which a customer without an account makes recordings of type `Received`."
})
export type CaptureLink = typeof CaptureLink.Type

export const CaptureLinkPage = Schema.Struct({
  pagination: Pagination,
  capture_links: listOf(CaptureLink, "The links of this page, newest first.")
}).annotate({ identifier: "CaptureLinkPage", description: "A page of capture links." })

export const CaptureLinkInput = Schema.Struct(
  optional({
    ...fields,
    sources: Schema.Struct(optional(sources)).annotate({
      description: "What is recorded. Default: the screen is required, all else optional."
    })
  })
).annotate({
  identifier: "CaptureLinkInput",
  description: "A capture link to make, or what to change of one.",
  examples: [{ title: "Show us the checkout", folder_id: "vip" }]
})

const list = HttpApiEndpoint.get("list", "/capture-links", { query: PageQuery, success: CaptureLinkPage })
  .annotateMerge(
    about(
      "captureLinks.list",
      "List capture links",
      "A member's own, or all for admins, revoked ones too; newest first."
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
  .annotateMerge(
    about("captureLinks.create", "Make a capture link", "All fields are optional.", "capture_link.created")
  )
  .middleware(IdempotentPost)
  .middleware(MemberAccess)

const read = HttpApiEndpoint.get("read", "/capture-links/:id", { params, success: CaptureLink, error: noLink })
  .annotateMerge(about("captureLinks.get", "Get a capture link", "One link."))
  .middleware(MemberAccess)

const update = HttpApiEndpoint.patch("update", "/capture-links/:id", {
  params,
  payload: CaptureLinkInput,
  success: CaptureLink,
  error: [...bodyErrors, noLink, errorV2("Conflict", "The link is revoked.")]
})
  .annotateMerge(
    about("captureLinks.update", "Change a capture link", "What is left out stays.", "capture_link.updated")
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
      "It begins no more captures; open ones go on. It stays in lists.",
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
