import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about, OptionalBody } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { sources } from "../settings/CaptureLinks.ts"
import { Capture } from "../settings/Captures.ts"
import { created, flag, nullableTextAs, textAs, textsAs } from "../settings/fields.ts"
import { Anyone } from "../settings/middleware.ts"
import { redaction } from "../settings/Sites.ts"
import { count, nullableText, text } from "../wire/fields.ts"
import { CaptureLimits } from "./middleware.ts"

const linkToken = Schema.String.annotate({
  description: "Token of the link: the last segment of its URL.",
  examples: ["5sZzYb0kq1m3vN8xW2pLr7aTfGhJcKdQ"]
})

const siteKey = Schema.String.annotate({
  description: "Public key of the site.",
  examples: ["0b0a4c579d3e4f1f8a8b9c107d0f3c1e"]
})

const maxDuration = count("Maximum duration of a recording, in seconds.", 1_800)
const accountName = text("Label of the account.", "Acme")

export const Invitation = Schema.Struct({
  title: nullableTextAs(input.captureLinkFields.title),
  message: nullableTextAs(input.captureLinkFields.message),
  account_name: accountName,
  requested_by: nullableText("Name of the user who created the link.", "Ada"),
  has_customer: flag(
    "Whether the customer is already known. If true, an e-mail address in the request that finishes the capture is ignored.",
    true
  ),
  sources,
  max_duration_seconds: maxDuration,
  redirect_url: nullableTextAs(input.captureLinkFields.redirect_url)
}).annotate({ identifier: "Invitation", description: "Recording that a capture link requests." })

export const PublicSite = Schema.Struct({
  name: textAs(input.siteFields.name),
  account_name: accountName,
  origins: textsAs(input.siteFields.origins),
  redaction,
  max_duration_seconds: maxDuration
}).annotate({ identifier: "PublicSite", description: "Public part of a site." })

export const SiteCaptureInput = input.SiteCaptureInput.annotate({
  identifier: "SiteCaptureInput",
  examples: [{ title: "Checkout fails", customer: { email: "customer@example.com" }, ticket_id: "4711" }]
})

const noLink = errorV2("NotFound", "The link does not exist, or was revoked.")
const usedUp = errorV2("Gone", "The link has no uses left, or has expired.")
const noSite = errorV2("NotFound", "The site does not exist, or is disabled.")
const tooMany = (limits: string) =>
  errorV2(
    "TooManyRequests",
    `More captures were started than ${limits} in an hour. \`Retry-After\` contains the time to wait.`
  )

const beyondQuota = errorV2(
  "Conflict",
  "The user who created the link is a member who has reached a quota of recordings or bytes. The message names it."
)

const beginKey = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Key that makes the request safe to repeat: 22 to 255 visible ASCII characters that cannot be guessed, new for each capture, such as " +
        "a UUID, optionally in double quotes. While the capture is open, a request with the same key gets the same capture, with another " +
        "`capture_token` and `Idempotency-Replayed: true`, even if the link has no uses left.",
      examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"]
    })
  )
}
const badKey = errorV2("BadRequest", "The `Idempotency-Key` is malformed or too short.")

const link = HttpApiEndpoint.get("link", "/links/:token", {
  params: { token: linkToken },
  success: Invitation,
  error: [noLink, usedUp]
}).annotateMerge(about("links.get", "Get a link", "Returns the texts that the customer reads before recording."))

const byLink = HttpApiEndpoint.post("byLink", "/links/:token/captures", {
  params: { token: linkToken },
  headers: beginKey,
  success: created(Capture),
  error: [
    badKey,
    noLink,
    usedUp,
    beyondQuota,
    tooMany("200 by a link, 20 of them from one address, or 30 from an address")
  ]
})
  .annotate(OptionalBody, true)
  .annotateMerge(
    about("links.begin", "Start a capture by a link", "Creates a recording of type `Received`, without a video yet.")
  )

const site = HttpApiEndpoint.get("site", "/sites/:key", {
  params: { key: siteKey },
  success: PublicSite,
  error: noSite
}).annotateMerge(
  about(
    "sites.get",
    "Get the public part of a site",
    "Returns the redaction that the site's pages apply. It can be cached for 5 minutes."
  )
)

const bySite = HttpApiEndpoint.post("bySite", "/sites/:key/captures", {
  params: { key: siteKey },
  headers: beginKey,
  payload: [SiteCaptureInput],
  success: created(Capture),
  error: [
    badKey,
    noSite,
    errorV2("Forbidden", "The origin of the page is not one of the site's origins."),
    errorV2("UnsupportedMediaType", "The body is not `application/json`."),
    errorV2("Unprocessable", "Values are invalid. The message names the field of each."),
    tooMany("300 by a site or 30 from an address")
  ]
})
  .annotate(OptionalBody, true)
  .annotateMerge(
    about(
      "sites.begin",
      "Start a capture on a site",
      "Creates a recording of type `Received` without an owner, and without a video yet. The body can be omitted."
    )
  )

/** Calls without a token. The link, or the site's key, is enough to start a capture. */
export class Invitations extends HttpApiGroup.make("invitations")
  .add(link, byLink, site, bySite)
  .middleware(Anyone)
  .middleware(CaptureLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Start",
      description: "Start of a capture, by a link or on a site. These calls take no token."
    })
  ) {}
