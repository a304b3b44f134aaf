import { atMost, integer, nullableTextId, object, optional, text } from "../input/fields.ts"
import {
  CustomerInput,
  HelpdeskInput,
  MAX_SHORT_TEXT,
  nullableRecordingTitle,
  recordingTitle
} from "../recordings/recordingInput.ts"

/** Maximum duration of a capture, in seconds: four hours. */
const maxSeconds = 14_400

/** Default of the maximum duration of a capture, in seconds. */
export const DEFAULT_CAPTURE_SECONDS = 1_800

export const captureDuration = integer(
  `must be an integer from 1 to ${maxSeconds}`,
  { minimum: 1, maximum: maxSeconds },
  `Maximum duration of a recording, in seconds. Default: ${DEFAULT_CAPTURE_SECONDS}.`
).annotate({ examples: [DEFAULT_CAPTURE_SECONDS] })

export const CaptureInput = object(
  optional({
    title: nullableRecordingTitle("Title of the recording; null for none.").annotate({ examples: ["How to export"] }),
    customer: CustomerInput,
    helpdesk: HelpdeskInput,
    folder_id: nullableTextId("Folder that the recording enters when it is finished; null for none.").annotate({
      examples: ["vip"]
    }),
    max_duration_seconds: captureDuration
  }),
  "A capture to start."
)
export type CaptureInput = typeof CaptureInput.Type

export const SiteCaptureInput = object(
  optional({
    title: recordingTitle("Title of the recording.").annotate({ examples: ["Checkout fails"] }),
    customer: CustomerInput,
    ticket_id: text("Ticket in the site's helpdesk. Refused for a site without a helpdesk.")
      .check(atMost(MAX_SHORT_TEXT))
      .annotate({ examples: ["4711"] })
  }),
  "A capture on a site to start."
)
export type SiteCaptureInput = typeof SiteCaptureInput.Type

export const FinishInput = object(
  optional({
    title: recordingTitle("Title of the recording. Ignored if a user has changed the title in the meantime.").annotate({
      examples: ["Checkout fails"]
    }),
    customer: CustomerInput.annotate({
      description: "Customer of the recording. Ignored if the customer is already known (`has_customer` of the link)."
    }),
    note: text("Note of the customer. It becomes the description of the recording, unless the recording has one.")
      .check(atMost(10_000))
      .annotate({ examples: ["It happens after the second step."] }),
    helpdesk: HelpdeskInput.annotate({
      description:
        "Ticket of the recording. Ignored if the recording has one. Refused unless an agent started the capture in the console or with a token."
    }),
    folder_id: nullableTextId(
      "Folder that the recording enters, and whose automations fire. Ignored if the recording is in one. Refused as `helpdesk` is."
    ).annotate({ examples: ["vip"] })
  }),
  "Data of a recording whose capture ends."
)
export type FinishInput = typeof FinishInput.Type
