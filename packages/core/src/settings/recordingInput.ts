import type { AccountId, Instant, Recording, RecordingId, RecordingUuid, UserId } from "@tapedeck/domain"
import { Schema, Struct } from "effect"
import { checkRoomInsights } from "../startDocument/checkRecordings.ts"
import { checkHelpdesk } from "../startDocument/helpdesk.ts"
import { emailKey } from "../startDocument/known.ts"
import type { Lenient } from "../startDocument/lenient.ts"
import { type Report, within } from "../startDocument/problems.ts"
import { RecordingEntry } from "../startDocument/recordingSchema.ts"
import { recordingFrom } from "../startDocument/recordings.ts"
import { atMost, nullableTextUpTo, object, optional } from "./fields.ts"

export const titleRules = [Schema.isPattern(/\S/u, { message: "must not be blank" }), atMost(255)] as const

export const textFields = {
  summary: nullableTextUpTo(10_000, "Short summary."),
  description: nullableTextUpTo(65_535, "Longer description.")
}

/** What is told of a recording as it is made: a start document's keys, without those that the service sets itself. */
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
      title: Schema.NullOr(Schema.String.check(...titleRules)).annotate({
        message: "must be a string or null",
        description: "Title."
      }),
      folder_id: Schema.NullOr(Schema.String).annotate({
        message: "must be a string or null",
        description: "Id of the folder that it goes to. Default: none."
      }),
      ...textFields
    })
  },
  "A recording to make."
)
export type RecordingInput = typeof RecordingInput.Type

type SizedInput = Pick<
  RecordingInput,
  | "helpdesk"
  | "technical_details"
  | "customer"
  | "recording_source"
  | "v1_platform"
  | "browser"
  | "os"
  | "console_logs"
  | "console_errors"
  | "network_errors"
  | "room_insights"
>

/** What lists show is limited, so that a page of 100 recordings is too: a text, and what is kept as JSON. */
const maxTextCharacters = 255
const maxLogCharacters = 65_536
const maxRoomCharacters = 32_768
/** Console errors, and network errors. */
const maxErrorCharacters = 1_000_000

const tooLong = (max: number) => `must be at most ${max} characters long`

/** Reports what is longer than it may be. Titles and descriptions have limits of their own (R11). */
export const checkSizes = (input: Lenient<Partial<SizedInput>>, report: Report) => {
  const text = (value: unknown, ...path: ReadonlyArray<string>) => {
    if (typeof value === "string" && value.length > maxTextCharacters) report(path, tooLong(maxTextCharacters))
  }
  const json = (field: "room_insights" | "console_errors" | "network_errors", max: number) => {
    const value = input[field]
    if (value && JSON.stringify(value).length > max) report([field], `${tooLong(max)}, as JSON`)
  }
  for (const field of ["recording_source", "v1_platform", "browser", "os"] as const) text(input[field], field)
  for (const field of ["helpdesk", "technical_details", "customer"] as const) {
    for (const [key, value] of Object.entries(input[field] ?? {})) text(value, field, key)
  }
  if (typeof input.console_logs === "string" && input.console_logs.length > maxLogCharacters) {
    report(["console_logs"], tooLong(maxLogCharacters))
  }
  json("room_insights", maxRoomCharacters)
  json("console_errors", maxErrorCharacters)
  json("network_errors", maxErrorCharacters)
}

/** Reports what cannot be together, as start documents say it. */
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

/** A recording as it is before its video comes. */
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
    userIds: new Map(ownerId === null || !input.user ? [] : [[emailKey(input.user), ownerId]]),
    files: new Map()
  }),
  ownerId,
  updatedAt: at,
  video: { original: null, processed: null, edited: null },
  transcript: null
})
