import { Sharing as DomainSharing } from "@tapedeck/domain"
import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, nullableDateTime, text } from "../../wire/fields.ts"
import { flag, flagAs, id, listOf } from "../fields.ts"

export const Sharing = DomainSharing.annotate({
  identifier: "Sharing",
  description:
    "Access to a recording's public page: every person with its address (`public`), signed-in members of the account (`account`), or " +
    "neither (`off`). Its owner and admins always have access, and share links always open it. For an account: the sharing of new recordings.",
  examples: ["public"]
})

export const SharingInput = input.SharingInput.annotate({
  identifier: "SharingInput",
  examples: [{ sharing: "account", is_log_shared: true }]
})

export const ShareLink = Schema.Struct({
  id: id("link"),
  url: text("URL that opens the recording.", "https://rec.example.com/s/3xQz0123456789ABCDEFGHIJKLMNOPQR"),
  has_password: flag("Whether the link requires a password."),
  expires_at: nullableDateTime("Expiry of the link; null if it does not expire.", "2030-02-01T00:00:00.000Z"),
  created_at: dateTime("Time at which the link was created.")
}).annotate({ identifier: "ShareLink", description: "Link that opens a recording." })
export type ShareLink = typeof ShareLink.Type

export const RecordingSharing = Schema.Struct({
  sharing: Sharing,
  is_log_shared: flagAs(input.sharingFields.is_log_shared),
  url: text("URL of the recording's public page.", "https://rec.example.com/r/7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"),
  links: listOf(ShareLink, "Links that have not expired, oldest first; at most 50.")
}).annotate({ identifier: "RecordingSharing", description: "Sharing of a recording, and its share links." })
export type RecordingSharing = typeof RecordingSharing.Type

export const ShareLinkInput = input.ShareLinkInput.annotate({
  identifier: "ShareLinkInput",
  examples: [{ expires_at: "2030-02-01T00:00:00.000Z", password: "correct horse" }]
})
