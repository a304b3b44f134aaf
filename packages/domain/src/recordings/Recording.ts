import * as Schema from "effect/Schema"
import { RedactionCounts } from "../capture/RedactionCounts.ts"
import { MediaWorkStates, RecordingVideo } from "../files/video.ts"
import { AccountId, FolderId, RecordingId, RecordingUuid, UserId } from "../ids.ts"
import { withinJsonDepth } from "../json.ts"
import { Instant } from "../time.ts"
import { noTranscript, sourcesOf, Transcript, TranscriptTexts } from "../transcript/Transcript.ts"
import { derivedSourceLabel, Helpdesk } from "./helpdesk.ts"
import { RoomInsights } from "./RoomInsights.ts"
import { Sharing } from "./sharing.ts"

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

/** What lists show of a recording, and what that is derived from. All of it is small; the rest is in `RecordingParts`. */
export const Recording = Schema.Struct({
  id: RecordingId,
  uuid: RecordingUuid,
  accountId: AccountId,
  /** The owner, the only member who sees the recording. */
  ownerId: Schema.NullOr(UserId),
  title: nullableString,
  summary: nullableString,
  description: nullableString,
  createdAt: Instant,
  updatedAt: Instant,
  durationSeconds: Schema.NullOr(Schema.Natural),
  impressionsCount: Schema.Natural,
  type: RecordingType,
  /** A source label that was given; null: derived from the helpdesk (`sourceLabel`). */
  source: nullableString,
  helpdesk: Helpdesk,
  technicalDetails: TechnicalDetails,
  /** Raw console output. */
  consoleLogs: nullableString,
  browser: nullableString,
  os: nullableString,
  customerEmail: nullableString,
  roomInsights: Schema.NullOr(RoomInsights),
  /** v1's `platform`: the customer's browser platform, such as `Win32`. */
  v1Platform: nullableString,
  /** At most one folder. */
  folderId: Schema.NullOr(FolderId),
  /** Absent: public. */
  sharing: Schema.optionalKey(Sharing),
  /** Whether the public page shows its capture log. Absent: no. */
  isLogShared: Schema.optionalKey(Schema.Boolean),
  video: RecordingVideo,
  transcript: Schema.NullOr(Transcript),
  /** Of its capture log: how often each rule redacted something. Absent: it has no log. */
  redactions: Schema.optionalKey(RedactionCounts),
  /** Of the work on its video, by kind; absent: the service has no worker for it. */
  work: Schema.optionalKey(MediaWorkStates)
})
export type Recording = typeof Recording.Type

const errors = {
  /** Given console errors; null: the error lines of `consoleLogs`. */
  consoleErrors: Schema.NullOr(CapturedErrors),
  networkErrors: Schema.NullOr(CapturedErrors)
}

/** The large parts of a recording, which no list contains: stored separately, and read only when needed. */
export const RecordingParts = Schema.Struct({
  ...errors,
  ...TranscriptTexts.fields,
  /** The capture log as JSON Lines, gzipped, in base64. */
  log: nullableString
})
export type RecordingParts = typeof RecordingParts.Type

/** The parts of a recording without stored parts. */
export const noParts: RecordingParts = {
  consoleErrors: null,
  networkErrors: null,
  speakerMap: {},
  edited: [],
  processed: [],
  legacyText: null,
  log: null
}

const texts = TranscriptTexts.fields

/** A recording and its parts in one piece, as documents hold it. */
export const WholeRecording = Schema.Struct({
  ...Recording.fields,
  ...errors,
  log: Schema.optionalKey(Schema.String),
  transcript: Schema.NullOr(
    Schema.Struct({
      status: Transcript.fields.status,
      language: Transcript.fields.language,
      speakerMap: texts.speakerMap,
      edited: Schema.NullOr(texts.edited),
      processed: Schema.NullOr(texts.processed),
      legacyText: texts.legacyText,
      again: Transcript.fields.again
    })
  )
})
export type WholeRecording = typeof WholeRecording.Type
export type WholeTranscript = NonNullable<WholeRecording["transcript"]>

/** A whole recording as the recording and its parts. */
export const takenApart = (
  whole: WholeRecording
): { readonly recording: Recording; readonly parts: RecordingParts } => {
  const { consoleErrors, log = null, networkErrors, transcript, ...rest } = whole
  const errors = { consoleErrors, networkErrors, log }
  if (transcript === null) return { recording: { ...rest, transcript }, parts: { ...noParts, ...errors } }
  const { again, language, legacyText, speakerMap, status } = transcript
  const texts = { speakerMap, edited: transcript.edited ?? [], processed: transcript.processed ?? [], legacyText }
  return {
    recording: {
      ...rest,
      transcript: { ...noTranscript, status, language, ...sourcesOf(texts), ...(again && { again }) }
    },
    parts: { ...errors, ...texts }
  }
}

/** A recording and its parts in one piece. A source without segments is null. */
export const putTogether = (recording: Recording, parts: RecordingParts): WholeRecording => {
  const { consoleErrors, edited, legacyText, log, networkErrors, processed, speakerMap } = parts
  const { transcript, ...rest } = recording
  const errors = { consoleErrors, networkErrors, ...(log !== null && { log }) }
  if (transcript === null) return { ...rest, ...errors, transcript }
  return {
    ...rest,
    ...errors,
    transcript: {
      status: transcript.status,
      language: transcript.language,
      speakerMap,
      edited: edited.length === 0 ? null : edited,
      processed: processed.length === 0 ? null : processed,
      legacyText,
      ...(transcript.again && { again: transcript.again })
    }
  }
}

/** `recording_source`: the given label, else the derived one. */
export const sourceLabel = (recording: Recording, vendor: string): string =>
  recording.source ?? derivedSourceLabel(recording.helpdesk, vendor)

/** `room_insights`: only Live recordings have them. */
export const roomInsightsOf = (recording: Recording): RoomInsights | null =>
  recording.type === "Live" ? recording.roomInsights : null
