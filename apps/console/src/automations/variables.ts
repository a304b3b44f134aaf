import type { TemplateVariable } from "@tapedeck/domain"

/** Meanings of the variables of a payload, for the completion in the editor. */
export const variableMeanings: Readonly<Record<TemplateVariable, string>> = {
  event: "What happened: the name of the event",
  timestamp: "When it happened, ISO 8601 in UTC",
  "recording.id": "UUID of the recording",
  "recording.title": "Title; empty if it has none",
  "recording.url": "Public page of the recording",
  "recording.video_url": "Address of the video",
  "recording.thumbnail_url": "Address of the still",
  "recording.customer_email": "E-mail address of the customer",
  "recording.duration": "Length in seconds: a number, or null",
  "recording.browser": "Browser of who recorded",
  "recording.os": "Operating system of who recorded",
  "recording.console_errors": "Error lines of the console: an array",
  "recording.network_errors": "Requests that failed: an array",
  "recording.created_at": "When it was recorded, ISO 8601 in UTC",
  "folder.id": "Id of the folder that it was added to",
  "folder.name": "Name of that folder",
  "account.id": "Id of the account",
  "account.name": "Name of the account"
}
