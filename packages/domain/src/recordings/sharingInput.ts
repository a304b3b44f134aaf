import * as Schema from "effect/Schema"
import { atMost, flag, object, oneOf, optional } from "../input/fields.ts"
import { parseIso } from "../time.ts"
import { Sharing } from "./sharing.ts"

export const sharingFields = {
  sharing: oneOf(Sharing.literals, "Access to the recording's public page.").annotate({ examples: ["public"] }),
  is_log_shared: flag(
    "Whether the public page and share links show the recording's log. If you omit it, it keeps its value. Default for a new recording: false."
  ).annotate({ examples: [true] })
}

const { is_log_shared, sharing } = sharingFields

export const SharingInput = object({ sharing, ...optional({ is_log_shared }) }, "Sharing of a recording.")
export type SharingInput = typeof SharingInput.Type

const notExpiry = "must be a date and time (ISO 8601) or null"

export const shareLinkFields = {
  expires_at: Schema.NullOr(
    Schema.String.check(
      Schema.makeFilter((value) => parseIso(value) !== undefined || notExpiry, {
        toJsonSchema: () => ({ format: "date-time" })
      })
    )
  ).annotate({
    message: notExpiry,
    description: "Expiry of the link, which must be in the future; null for none. Default: null.",
    examples: ["2030-02-01T00:00:00.000Z"]
  }),
  password: Schema.NullOr(
    Schema.String.check(Schema.isPattern(/^[\s\S]{8}/u, { message: "must have at least 8 characters" }), atMost(128))
  ).annotate({
    message: "must be a string or null",
    description: "Password that opens the link, of 8 to 128 characters; null for none. Default: null.",
    examples: ["correct horse"]
  })
}

export const ShareLinkInput = object(optional(shareLinkFields), "A share link to create.")
export type ShareLinkInput = typeof ShareLinkInput.Type
