import type { Recording as WireRecording } from "@tapedeck/contract"
import { type OwnedRecording, recordingLinks, type ServiceConfig } from "@tapedeck/core"
import {
  activeTicketId,
  type Helpdesk,
  type Instant,
  normalizedTicketId,
  platformOnWire,
  type Recording,
  type RoomInsights,
  toIso,
  type User
} from "@tapedeck/domain"
import { roomDurationSeconds, roomInsightsOf, sourceLabel } from "@tapedeck/domain/internal/recordings"
import { listedJson, type ReadyJson } from "../../responses.ts"

/** Settings that affect the wire shape of a recording. */
export type RecordingConfig = Pick<ServiceConfig["Service"], "publicUrl" | "vendor">

/** A recording as v2 shows it (specification, Recording (v2); N2, N5, R22, W12). */
export const wireRecording = ({ recording, owner }: OwnedRecording, config: RecordingConfig): WireRecording => ({
  uuid: recording.uuid,
  title: recording.title,
  summary: recording.summary,
  description: recording.description,
  metadata: {
    created_at: toIso(recording.createdAt),
    updated_at: toIso(recording.updatedAt),
    duration: recording.durationSeconds,
    impressions_count: recording.impressionsCount,
    recording_type: recording.type,
    recording_source: sourceLabel(recording, config.vendor),
    url: recordingLinks(config.publicUrl, recording.uuid).url,
    helpdesk_info: wireHelpdesk(recording.helpdesk, config.vendor)
  },
  technical_details: {
    vendor: recording.technicalDetails.vendor,
    ip_address: recording.technicalDetails.ipAddress,
    timezone: recording.technicalDetails.timezone,
    network_type: recording.technicalDetails.networkType,
    isp: recording.technicalDetails.isp
  },
  console_logs: recording.consoleLogs,
  customer: { email: recording.customerEmail },
  user: owner === null ? null : { email: owner.email, name: owner.name },
  room_insights: wireRoomInsights(roomInsightsOf(recording))
})

const wireHelpdesk = (helpdesk: Helpdesk, vendor: string): WireRecording["metadata"]["helpdesk_info"] => ({
  platform: platformOnWire(helpdesk.platform, vendor),
  conversation_id: helpdesk.conversationId,
  ticket_id: normalizedTicketId(helpdesk),
  active_ticket_id: activeTicketId(helpdesk),
  user_id: helpdesk.userId,
  operator_id: helpdesk.operatorId,
  customer_id: helpdesk.customerId,
  issue_id: helpdesk.issueId,
  object_id: helpdesk.objectId
})

const isoOrNull = (instant: Instant | null): string | null => (instant === null ? null : toIso(instant))

const wireRoomInsights = (room: RoomInsights | null): WireRecording["room_insights"] =>
  room === null
    ? null
    : {
        started_at: isoOrNull(room.startedAt),
        ended_at: isoOrNull(room.endedAt),
        duration: roomDurationSeconds(room),
        total_participant_minutes: room.totalParticipantMinutes,
        total_unique_participants: room.totalUniqueParticipants,
        participants_insights:
          room.participantsInsights?.map((participant) => ({
            participant_id: participant.participantId,
            display_name: participant.displayName,
            role: participant.role,
            browser: participant.browser,
            os: participant.os,
            device: participant.device,
            device_type: participant.deviceType,
            user_agent: participant.userAgent,
            joined_at: isoOrNull(participant.joinedAt),
            left_at: isoOrNull(participant.leftAt)
          })) ?? null
      }

/** Cached JSON, and the inputs besides the recording that it was made of. */
interface Ready extends ReadyJson {
  readonly owner: User | null
  readonly publicUrl: string
  readonly vendor: string
}

/**
 * JSON of recordings, each serialised once and cached as long as the store returns the same object. A change makes a new object,
 * so no stale JSON is sent; responses are not cached as a whole. With a store that makes a new object for each read, nothing is
 * cached.
 */
export const readyJson = <Wire>(toWire: (owned: OwnedRecording, config: RecordingConfig) => Wire) => {
  const cache = new WeakMap<Recording, Ready>()

  return (owned: OwnedRecording, config: RecordingConfig): ReadyJson => {
    const { owner, recording } = owned
    const cached = cache.get(recording)
    if (cached?.owner === owner && cached.publicUrl === config.publicUrl && cached.vendor === config.vendor)
      return cached
    const { publicUrl, vendor } = config
    const ready: Ready = { ...listedJson(toWire(owned, config)), owner, publicUrl, vendor }
    cache.set(recording, ready)
    return ready
  }
}
