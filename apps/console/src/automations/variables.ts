import type { TemplateVariable } from "@tapedeck/domain"

/** Meanings of the variables of a payload, for the completion in the editor. */
export const variableMeanings: Readonly<Record<TemplateVariable, string>> = {
  event: "Name of the event",
  timestamp: "Time of the event, in ISO 8601 in UTC",
  "recording.id": "UUID of the recording",
  "recording.title": "Title of the recording; empty if it has none",
  "recording.url": "Public page of the recording",
  "recording.video_url": "Address of the video",
  "recording.thumbnail_url": "Address of the thumbnail",
  "recording.customer_email": "E-mail address of the customer",
  "recording.duration": "Length of the recording in seconds: a number, or null",
  "recording.browser": "Browser on which the recording was made",
  "recording.os": "Operating system on which the recording was made",
  "recording.console_errors": "Error lines of the console: an array",
  "recording.network_errors": "Failed requests: an array",
  "recording.created_at": "Time at which the recording was made, in ISO 8601 in UTC",
  "folder.id": "Id of the folder to which the recording was added",
  "folder.name": "Name of the folder to which the recording was added",
  "account.id": "Id of the account",
  "account.name": "Name of the account"
}
