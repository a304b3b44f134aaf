import * as Schema from "effect/Schema"
import { RedactionCounts } from "../capture/RedactionCounts.ts"
import { MediaWorkStates, RecordingVideo } from "../files/video.ts"
import { AccountId, FolderId, RecordingId, RecordingUuid, UserId } from "../ids.ts"
import { withinJsonDepth } from "../json.ts"
import { Instant } from "../time.ts"
import { noTranscript, sourcesOf, Transcript, TranscriptTexts } from "../transcript/Transcript.ts"
import { GeneratedTexts } from "./generatedTexts.ts"
import { derivedSourceLabel, Helpdesk } from "./helpdesk.ts"
import { RoomInsights } from "./RoomInsights.ts"
import { Sharing } from "./sharing.ts"

const nullableString = Schema.NullOr(Schema.String)

/** Type of a recording, which never changes. */
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

/** Console or network errors: free-form items of limited depth, so that every receiver can parse them. */
export const CapturedErrors = Schema.Array(Schema.Json).check(withinJsonDepth)
export type CapturedErrors = typeof CapturedErrors.Type

/** The fields of a recording that lists show, and those from which they are derived. All are small; `RecordingParts` has the rest. */
export const Recording = Schema.Struct({
  id: RecordingId,
  uuid: RecordingUuid,
  accountId: AccountId,
  /** Owner of the recording, the only member who can see it. */
  ownerId: Schema.NullOr(UserId),
  title: nullableString,
  summary: nullableString,
  description: nullableString,
  /** Texts that were generated; absent if there are none. */
  generated: Schema.optionalKey(GeneratedTexts),
  createdAt: Instant,
  updatedAt: Instant,
  durationSeconds: Schema.NullOr(Schema.Natural),
  impressionsCount: Schema.Natural,
  type: RecordingType,
  /** Label of the source; null if it is derived from the helpdesk (`sourceLabel`). */
  source: nullableString,
  helpdesk: Helpdesk,
  technicalDetails: TechnicalDetails,
  /** Raw console output. */
  consoleLogs: nullableString,
  browser: nullableString,
  os: nullableString,
  customerEmail: nullableString,
  roomInsights: Schema.NullOr(RoomInsights),
  /** `platform` in v1: the platform of the customer's browser, such as `Win32`. */
  v1Platform: nullableString,
  /** Folder of the recording; null for none. */
  folderId: Schema.NullOr(FolderId),
  /** Sharing of the recording; `public` if absent. */
  sharing: Schema.optionalKey(Sharing),
  /** True if the public page shows the capture log. Default: false. */
  isLogShared: Schema.optionalKey(Schema.Boolean),
  video: RecordingVideo,
  transcript: Schema.NullOr(Transcript),
  /** Number of redactions in the capture log, by rule; absent if the recording has no log. */
  redactions: Schema.optionalKey(RedactionCounts),
  /** States of the work on the video, by kind; absent if the service has no worker for it. */
  work: Schema.optionalKey(MediaWorkStates)
})
export type Recording = typeof Recording.Type

const errors = {
  /** Console errors; null if they are the error lines of `consoleLogs`. */
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

/** A recording with its parts, as in documents. */
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

/** Splits a whole recording into the recording and its parts. */
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

/** Joins a recording and its parts. A source without segments is null. */
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

/** Returns `recording_source`: the label that was set, else the derived one. */
export const sourceLabel = (recording: Recording, vendor: string): string =>
  recording.source ?? derivedSourceLabel(recording.helpdesk, vendor)

/** Returns `room_insights`, which only `Live` recordings have. */
export const roomInsightsOf = (recording: Recording): RoomInsights | null =>
  recording.type === "Live" ? recording.roomInsights : null
