import {
  type AccountId,
  FolderId,
  type Instant,
  parseIso,
  type RoomInsights,
  type Segment,
  type UserId
} from "@tapedeck/domain"
import type { RoomInsightsInput, SegmentInput } from "@tapedeck/domain/input"
import { emailKey } from "@tapedeck/domain/internal/people"
import { helpdeskFrom } from "./helpdesk.ts"
import type { RecordingEntry } from "./recordingEntry.ts"

/** References of a recording's entry. */
export interface RecordingReferences {
  readonly vendor: string
  readonly now: Instant
  readonly accountOf: (account: number | undefined) => AccountId
  /** Ids of users by `emailKey`. */
  readonly userIds: ReadonlyMap<string, UserId>
}

/** Returns the fields of a recording from a checked entry. */
export const recordingFrom = (entry: RecordingEntry, context: RecordingReferences) => ({
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

/** Defaults: created now, and not changed since. A recording never changes before its creation. */
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

const roomInsightsFrom = (room: RoomInsightsInput): RoomInsights => ({
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

/** Segments as a document writes them. */
export const segmentsFrom = (entries: ReadonlyArray<SegmentInput> | null | undefined): ReadonlyArray<Segment> =>
  entries?.map((one) => ({
    startSeconds: one.start_seconds,
    endSeconds: one.end_seconds ?? null,
    text: one.text,
    sentences: one.sentences ?? []
  })) ?? []
