import { Schema } from "effect"
import { count, dateTime, nullableCount, nullableEmail, nullableText, text, uri, uuid } from "./fields.ts"
import { Pagination } from "./Pagination.ts"
import { RecordingType } from "./Recording.ts"

/** A recording of v1, with flat fields. */
export const FlatRecording = Schema.Struct({
  id: count("Number of the recording.", 17),
  uuid: uuid("UUID of the recording."),
  title: nullableText("Title.", "Checkout fails"),
  description: nullableText("Longer description.", "Steps: open the cart, press Pay, nothing happens."),
  created_at: dateTime("Time at which the recording was made."),
  updated_at: dateTime("Time of the last change of the recording."),
  vendor: nullableText("Browser vendor of the recording user.", "Google Inc."),
  ip_address: nullableText("IP address of the recording user.", "203.0.113.7"),
  timezone: nullableText("Time zone of the recording user.", "Europe/Berlin"),
  network_type: nullableText("Type of network connection.", "4g"),
  isp: nullableText("Internet service provider.", "Example Telecom"),
  platform: nullableText("Platform of the customer's browser (not the helpdesk).", "Win32"),
  impressions_count: count("Number of views of the recording's public page.", 3),
  customer_email: nullableEmail("E-mail address of the customer."),
  duration: nullableCount("Length in seconds.", 42),
  recording_type: RecordingType,
  recording_source: text("Label of the recording's source.", "Zendesk ticket"),
  url: uri("Public page of the recording.", "https://tapedeck.test/r/7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"),
  user_email: nullableEmail("E-mail address of the owner; null if the recording has no owner.", "bob@acme.test"),
  user_name: nullableText("Name of the owner; null if the recording has no owner.", "Bob")
}).annotate({ identifier: "FlatRecording", description: "A recording." })

export type FlatRecording = typeof FlatRecording.Type

export const FlatRecordingPage = Schema.Struct({
  pagination: Pagination,
  records: Schema.Array(FlatRecording).annotate({ description: "The recordings of this page, newest first." })
}).annotate({ identifier: "FlatRecordingPage", description: "A page of recordings." })

export type FlatRecordingPage = typeof FlatRecordingPage.Type
