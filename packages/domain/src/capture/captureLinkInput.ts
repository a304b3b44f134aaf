import * as Schema from "effect/Schema"
import { change, instant, nullableTextId, nullableTextUpTo, object, oneOf, optional } from "../input/fields.ts"
import { CustomerInput, HelpdeskInput, nullableRecordingTitle } from "../recordings/recordingInput.ts"
import { SourceUse } from "./CaptureLink.ts"
import { captureDuration } from "./captureInput.ts"

const sourceUse = (source: string) =>
  oneOf(
    SourceUse.literals,
    `Whether the ${source} is recorded: not with \`off\`, by the customer's choice with \`optional\`, always with \`required\`.`
  ).annotate({ examples: ["optional"] })

export const captureSources = {
  screen: sourceUse("screen"),
  microphone: sourceUse("microphone"),
  camera: sourceUse("camera"),
  logs: sourceUse("log")
}

const maxUses = 1_000_000
const notUses = `must be an integer from 1 to ${maxUses}, or null`

const maxUrlLength = 2_048
const notHttps = `must be an https:// URL of at most ${maxUrlLength} characters, or null`
const isHttps = (value: string) => {
  const url = value.length <= maxUrlLength && URL.canParse(value) ? new URL(value) : undefined
  return (url?.protocol === "https:" && url.username === "" && url.password === "") || notHttps
}

export const captureLinkFields = {
  title: nullableRecordingTitle(
    "Title that the customer reads, and that the recording gets. A title that the customer enters at the end of the recording replaces it."
  ).annotate({ examples: ["Show us the checkout"] }),
  message: nullableTextUpTo(2_000, "Plain text that the customer reads before recording; null for none.").annotate({
    examples: ["Please show us what happens."]
  }),
  helpdesk: HelpdeskInput,
  customer: CustomerInput,
  folder_id: nullableTextId("Folder that a recording enters when it is finished; null for none.").annotate({
    examples: ["vip"]
  }),
  site_id: nullableTextId("Site whose redaction applies to the recordings; null for none.").annotate({
    examples: ["0b0a4c57-9d3e-4f1f-8a8b-9c107d0f3c1e"]
  }),
  sources: object(
    optional(captureSources),
    "Sources of a recording. Default: the screen is required, and the others are optional."
  ),
  max_uses: Schema.NullOr(
    Schema.Number.check(
      Schema.isInt({ message: notUses }),
      Schema.isBetween({ minimum: 1, maximum: maxUses }, { message: notUses })
    )
  ).annotate({
    message: notUses,
    description: "Maximum number of recordings; null for no limit. Default: 1.",
    examples: [1]
  }),
  max_duration_seconds: captureDuration,
  expires_at: instant("Expiry of the link, which must be in the future. Default: 14 days after its creation.").annotate(
    {
      examples: ["2026-01-15T09:00:00.000Z"]
    }
  ),
  redirect_url: Schema.NullOr(Schema.String.check(Schema.makeFilter(isHttps))).annotate({
    message: notHttps,
    description:
      `Address that the customer's browser opens after the recording: an https:// URL of at most ${maxUrlLength} characters, without ` +
      "user name and password. Null for none.",
    examples: ["https://acme.test/thanks"]
  })
}

export const CaptureLinkInput = object(optional(captureLinkFields), "A capture link to create.")
export type CaptureLinkInput = typeof CaptureLinkInput.Type

export const CaptureLinkChange = change(
  captureLinkFields,
  "Changes of a capture link. Fields that you omit keep their value."
)
export type CaptureLinkChange = typeof CaptureLinkChange.Type
