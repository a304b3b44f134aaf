import {
  type AccountId,
  FolderId,
  type Instant,
  initialTranscriptStatus,
  noTranscript,
  parseIso,
  parseRecordingUuid,
  type Recording,
  RecordingId,
  RecordingUuid,
  type RoomInsights,
  type Segment,
  sourcesOf,
  type Transcript,
  type TranscriptStatus,
  type TranscriptTexts,
  toIso,
  type UserId
} from "@tapedeck/domain"
import { Effect } from "effect"
import { Ids } from "../Ids.ts"
import { Store } from "../Store.ts"
import { helpdeskEntryOf, helpdeskFrom } from "./helpdesk.ts"
import { emailKey } from "./known.ts"
import type { RecordingEntry, RoomInsightsEntry, SegmentEntry, TranscriptEntry } from "./recordingSchema.ts"
import { planScript } from "./script.ts"
import { makeVideo } from "./video.ts"

/** A recording as it was made, in the document's shape. */
export type MadeRecording = Required<RecordingEntry>

/** What the recordings of a checked document refer to. */
export interface RecordingContext {
  readonly vendor: string
  readonly now: Instant
  readonly accountOf: (account: number | undefined) => AccountId
  /** By `emailKey`. */
  readonly userIds: ReadonlyMap<string, UserId>
  /** What the `path`s of videos hold. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Makes a checked recording, its files, and the steps of its transcript that fall due by time. */
export const makeRecording = Effect.fnUntraced(function* (
  entry: RecordingEntry,
  nextId: Effect.Effect<number, never, Store>,
  context: RecordingContext
) {
  const store = yield* Store
  const given = entry.uuid === undefined ? undefined : parseRecordingUuid(entry.uuid)
  const uuid = given ?? RecordingUuid.make(yield* Ids.uuid("recording"))
  const script = planScript(entry.transcript?.script, context.now)
  const recording: Recording = {
    id: RecordingId.make(entry.id ?? (yield* nextId)),
    uuid,
    ...recordingFrom(entry, context),
    video: yield* makeVideo(entry.video, context.files),
    transcript: entry.transcript ? transcriptFrom(entry.transcript, script?.status) : null
  }
  yield* store.recordings.save(recording)
  yield* store.recordingParts.save(recording.id, {
    ...errorsFrom(entry),
    ...(entry.transcript && textsFrom(entry.transcript))
  })
  for (const step of script?.timed ?? []) yield* store.transcriptSteps.add({ recordingUuid: uuid, ...step })
  return { made: madeOf(recording, entry, context.vendor), recordingUuid: uuid, steps: script?.counted ?? [] }
})

/** What a checked entry says of a recording. */
export const recordingFrom = (entry: RecordingEntry, context: RecordingContext) => ({
  accountId: context.accountOf(entry.account),
  ownerId: entry.user ? (context.userIds.get(emailKey(entry.user)) ?? null) : null,
  title: entry.title ?? null,
  summary: entry.summary ?? null,
  description: entry.description ?? null,
  ...datesFrom(entry, context.now),
  durationSeconds: entry.duration ?? null,
  impressionsCount: entry.impressions_count ?? 0,
  type: entry.recording_type ?? "Received",
  source: entry.recording_source ?? null,
  helpdesk: helpdeskFrom(entry.helpdesk, context.vendor),
  technicalDetails: {
    vendor: entry.technical_details?.vendor ?? null,
    ipAddress: entry.technical_details?.ip_address ?? null,
    timezone: entry.technical_details?.timezone ?? null,
    networkType: entry.technical_details?.network_type ?? null,
    isp: entry.technical_details?.isp ?? null
  },
  consoleLogs: entry.console_logs ?? null,
  browser: entry.browser ?? null,
  os: entry.os ?? null,
  customerEmail: entry.customer?.email ?? null,
  roomInsights: entry.room_insights ? roomInsightsFrom(entry.room_insights) : null,
  v1Platform: entry.v1_platform ?? null,
  folderId: typeof entry.folder === "string" ? FolderId.make(entry.folder) : null
})

/** The captured errors that a checked entry gives. */
export const errorsFrom = (entry: Pick<RecordingEntry, "console_errors" | "network_errors">) => ({
  consoleErrors: entry.console_errors ?? null,
  networkErrors: entry.network_errors ?? null
})

/** Made now, and not changed since; but never changed before it was made. */
const datesFrom = (
  entry: RecordingEntry,
  now: Instant
): { readonly createdAt: Instant; readonly updatedAt: Instant } => {
  const created = instantFrom(entry.created_at)
  const updated = instantFrom(entry.updated_at)
  const createdAt = created ?? (updated !== null && updated < now ? updated : now)
  return { createdAt, updatedAt: updated ?? createdAt }
}

const instantFrom = (written: string | null | undefined): Instant | null =>
  written === undefined || written === null ? null : (parseIso(written) ?? null)

const roomInsightsFrom = (room: RoomInsightsEntry): RoomInsights => ({
  startedAt: instantFrom(room.started_at),
  endedAt: instantFrom(room.ended_at),
  totalParticipantMinutes: room.total_participant_minutes ?? null,
  totalUniqueParticipants: room.total_unique_participants ?? null,
  participantsInsights:
    room.participants_insights?.map((one) => ({
      participantId: one.participant_id,
      displayName: one.display_name ?? null,
      role: one.role ?? null,
      browser: one.browser ?? null,
      os: one.os ?? null,
      device: one.device ?? null,
      deviceType: one.device_type ?? null,
      userAgent: one.user_agent ?? null,
      joinedAt: instantFrom(one.joined_at),
      leftAt: instantFrom(one.left_at)
    })) ?? null
})

const textsFrom = (entry: TranscriptEntry): TranscriptTexts => ({
  speakerMap: entry.speaker_map ?? {},
  edited: segmentsFrom(entry.edited),
  processed: segmentsFrom(entry.processed ?? entry.segments),
  legacyText: entry.legacy ?? null
})

const transcriptFrom = (entry: TranscriptEntry, scripted: TranscriptStatus | undefined): Transcript => {
  const sources = { ...noTranscript, ...sourcesOf(textsFrom(entry)) }
  return { ...sources, status: scripted ?? initialTranscriptStatus(sources), language: entry.language ?? null }
}

/** Segments as a document writes them. */
export const segmentsFrom = (entries: ReadonlyArray<SegmentEntry> | null | undefined): ReadonlyArray<Segment> =>
  entries?.map((one) => ({
    startSeconds: one.start_seconds,
    endSeconds: one.end_seconds ?? null,
    text: one.text,
    sentences: one.sentences ?? []
  })) ?? []

const madeOf = (recording: Recording, entry: RecordingEntry, vendor: string): MadeRecording => ({
  id: recording.id,
  uuid: recording.uuid,
  account: recording.accountId,
  user: entry.user ?? null,
  title: recording.title,
  summary: recording.summary,
  description: recording.description,
  recording_type: recording.type,
  recording_source: recording.source,
  helpdesk: helpdeskEntryOf(recording.helpdesk, vendor),
  created_at: toIso(recording.createdAt),
  updated_at: toIso(recording.updatedAt),
  duration: recording.durationSeconds,
  impressions_count: recording.impressionsCount,
  technical_details: {
    vendor: recording.technicalDetails.vendor,
    ip_address: recording.technicalDetails.ipAddress,
    timezone: recording.technicalDetails.timezone,
    network_type: recording.technicalDetails.networkType,
    isp: recording.technicalDetails.isp
  },
  v1_platform: recording.v1Platform,
  console_logs: recording.consoleLogs,
  console_errors: entry.console_errors ?? null,
  network_errors: entry.network_errors ?? null,
  browser: recording.browser,
  os: recording.os,
  customer: { email: recording.customerEmail },
  room_insights: entry.room_insights ?? null,
  folder: recording.folderId,
  video: { original: null, processed: null, edited: null, ...entry.video },
  transcript: entry.transcript ?? null
})
