import { Sharing as DomainSharing } from "@tapedeck/domain"
import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, nullableDateTime, text } from "../../wire/fields.ts"
import { flag, flagAs, id, listOf } from "../fields.ts"

export const Sharing = DomainSharing.annotate({
  identifier: "Sharing",
  description:
    "Who may open a recording's public page: every person with its address, signed-in members of the account, or none. " +
    "Its owner and admins always may, and a share link opens it in each case. Of an account: that of new recordings.",
  examples: ["public"]
})

export const SharingInput = input.SharingInput.annotate({
  identifier: "SharingInput",
  examples: [{ sharing: "account", is_log_shared: true }]
})

export const ShareLink = Schema.Struct({
  id: id("link"),
  url: text("Opens the recording.", "https://rec.example.com/s/3xQz0123456789ABCDEFGHIJKLMNOPQR"),
  has_password: flag("Whether it asks for a password."),
  expires_at: nullableDateTime("When it ends; null: it does not.", "2030-02-01T00:00:00.000Z"),
  created_at: dateTime("When it was made.")
}).annotate({ identifier: "ShareLink", description: "A link that opens a recording." })
export type ShareLink = typeof ShareLink.Type

export const RecordingSharing = Schema.Struct({
  sharing: Sharing,
  is_log_shared: flagAs(input.sharingFields.is_log_shared),
  url: text("The public page.", "https://rec.example.com/r/7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"),
  links: listOf(ShareLink, "Links that have not expired, oldest first; at most 50.")
}).annotate({ identifier: "RecordingSharing", description: "Who may open a recording, and by which links." })
export type RecordingSharing = typeof RecordingSharing.Type

export const ShareLinkInput = input.ShareLinkInput.annotate({
  identifier: "ShareLinkInput",
  examples: [{ expires_at: "2030-02-01T00:00:00.000Z", password: "correct horse" }]
})
