import type { FlatRecording } from "@tapedeck/contract"
import { type OwnedRecording, recordingLinks } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { sourceLabel } from "@tapedeck/domain/internal/recordings"
import type { RecordingConfig } from "./recording.ts"

/** A recording as v1 shows it (specification, Legacy v1 recording; R17). */
export const flatRecording = ({ recording, owner }: OwnedRecording, config: RecordingConfig): FlatRecording => ({
  id: recording.id,
  uuid: recording.uuid,
  title: recording.title,
  description: recording.description,
  created_at: toIso(recording.createdAt),
  updated_at: toIso(recording.updatedAt),
  vendor: recording.technicalDetails.vendor,
  ip_address: recording.technicalDetails.ipAddress,
  timezone: recording.technicalDetails.timezone,
  network_type: recording.technicalDetails.networkType,
  isp: recording.technicalDetails.isp,
  platform: recording.v1Platform,
  impressions_count: recording.impressionsCount,
  customer_email: recording.customerEmail,
  duration: recording.durationSeconds,
  recording_type: recording.type,
  recording_source: sourceLabel(recording, config.vendor),
  url: recordingLinks(config.publicUrl, recording.uuid).url,
  user_email: owner?.email ?? null,
  user_name: owner?.name ?? null
})
