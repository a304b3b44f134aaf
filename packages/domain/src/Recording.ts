import * as Schema from "effect/Schema"
import { derivedSourceLabel, Helpdesk } from "./helpdesk.ts"
import { AccountId, FolderId, RecordingId, RecordingUuid, UserId } from "./ids.ts"
import { withinJsonDepth } from "./json.ts"
import { RoomInsights } from "./RoomInsights.ts"
import { Instant } from "./time.ts"
import { Transcript } from "./transcript/Transcript.ts"
import { RecordingVideo } from "./video.ts"

const nullableString = Schema.NullOr(Schema.String)

/** Classifications; a recording does not move from one to another. */
export const RecordingType = Schema.Literals(["Received", "Sent", "Live"])
export type RecordingType = typeof RecordingType.Type

export const TechnicalDetails = Schema.Struct({
  vendor: nullableString,
  ipAddress: nullableString,
  timezone: nullableString,
  networkType: nullableString,
  isp: nullableString
})
export type TechnicalDetails = typeof TechnicalDetails.Type

/** Console or network errors as they were given: free-form items, of a depth that every receiver can parse. */
export const CapturedErrors = Schema.Array(Schema.Json).check(withinJsonDepth)
export type CapturedErrors = typeof CapturedErrors.Type

/** A recording with everything it holds: v1's, v2's and the webhook's fields, and what they are derived from. */
export const Recording = Schema.Struct({
  id: RecordingId,
  uuid: RecordingUuid,
  accountId: AccountId,
  /** The agent who owns the recording, and the only member who sees it. */
  ownerId: Schema.NullOr(UserId),
  title: nullableString,
  summary: nullableString,
  description: nullableString,
  createdAt: Instant,
  updatedAt: Instant,
  durationSeconds: Schema.NullOr(Schema.Natural),
  impressionsCount: Schema.Natural,
  type: RecordingType,
  /** A source label that was given; null: derived from the helpdesk (R22, `sourceLabel`). */
  source: nullableString,
  helpdesk: Helpdesk,
  technicalDetails: TechnicalDetails,
  /** Raw console output. */
  consoleLogs: nullableString,
  /** Given console errors; null: the error lines of `consoleLogs` (W7). */
  consoleErrors: Schema.NullOr(CapturedErrors),
  networkErrors: Schema.NullOr(CapturedErrors),
  browser: nullableString,
  os: nullableString,
  customerEmail: nullableString,
  roomInsights: Schema.NullOr(RoomInsights),
  /** v1's `platform`: the customer's browser platform, such as `Win32` (R17). */
  v1Platform: nullableString,
  /** At most one folder (W13). */
  folderId: Schema.NullOr(FolderId),
  video: RecordingVideo,
  transcript: Schema.NullOr(Transcript)
})
export type Recording = typeof Recording.Type

/** `recording_source`: the given label, else the derived one (R22). */
export const sourceLabel = (recording: Recording, vendor: string): string =>
  recording.source ?? derivedSourceLabel(recording.helpdesk, vendor)

/** `room_insights`: only Live recordings have them (R22). */
export const roomInsightsOf = (recording: Recording): RoomInsights | null =>
  recording.type === "Live" ? recording.roomInsights : null
