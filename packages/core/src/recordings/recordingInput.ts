import type { AccountId, Instant, Recording, RecordingId, RecordingUuid, UserId } from "@tapedeck/domain"
import type { Lenient } from "@tapedeck/domain/input"
import {
  nullableRecordingTitle,
  nullableTextId,
  nullableTextUpTo,
  object,
  optional,
  type Report,
  within
} from "@tapedeck/domain/input"
import { emailKey } from "@tapedeck/domain/internal"
import { Schema, Struct } from "effect"
import { checkHelpdesk } from "../input/helpdesk.ts"
import { RecordingEntry } from "../input/recordingEntry.ts"
import { recordingFrom } from "../input/recordingFields.ts"
import { checkSizes } from "../input/sizes.ts"
import { checkRoomInsights } from "./checkRecording.ts"

export const textFields = {
  summary: nullableTextUpTo(10_000, "Short summary."),
  description: nullableTextUpTo(65_535, "Longer description.")
}

/** The input of a new recording: a start document's keys, without those that the service sets itself. */
export const RecordingInput = object(
  {
    ...Struct.pick(RecordingEntry.fields, [
      "recording_type",
      "recording_source",
      "helpdesk",
      "duration",
      "technical_details",
      "v1_platform",
      "console_logs",
      "console_errors",
      "network_errors",
      "browser",
      "os",
      "customer",
      "room_insights",
      "created_at"
    ]),
    ...optional({
      user: Schema.NullOr(Schema.String).annotate({
        message: "must be a string or null",
        description: "E-mail address of the owner. Default: the caller."
      }),
      title: nullableRecordingTitle("Title."),
      folder_id: nullableTextId("Id of the folder that it goes to. Default: none."),
      ...textFields
    })
  },
  "A recording to make."
)
export type RecordingInput = typeof RecordingInput.Type

/** Reports contradictory values, as in start documents. */
export const checkRecording = (input: Lenient<RecordingInput>, vendor: string, report: Report) => {
  checkSizes(input, report)
  if (input.helpdesk) checkHelpdesk(input.helpdesk, vendor, within(report, "helpdesk"))
  if (!input.room_insights) return
  if ((input.recording_type ?? "Received") !== "Live") {
    report(["room_insights"], "only Live recordings have room insights")
  }
  checkRoomInsights(input.room_insights, within(report, "room_insights"))
}

export interface NewRecording {
  readonly id: RecordingId
  readonly uuid: RecordingUuid
  readonly accountId: AccountId
  readonly ownerId: UserId | null
  readonly at: Instant
  readonly vendor: string
}

/** A recording before its upload. */
export const newRecording = (
  input: RecordingInput,
  { accountId, at, id, ownerId, uuid, vendor }: NewRecording
): Recording => ({
  id,
  uuid,
  ...recordingFrom(input, {
    vendor,
    now: at,
    accountOf: () => accountId,
    userIds: new Map(ownerId === null || !input.user ? [] : [[emailKey(input.user), ownerId]])
  }),
  ownerId,
  updatedAt: at,
  video: { original: null, processed: null, edited: null },
  transcript: null
})
