import type { capture as contract, settings } from "@tapedeck/contract"
import type { BegunCapture, Invitation, OpenSite } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import type { Capture } from "@tapedeck/domain/capture"

/** Addresses below the capture API are paths from `/`: with what stands before `/api`. */
const captureRoot = (basePath: string): string => `${basePath}/api/capture`

const capturePath = (basePath: string, id: string): string => `${captureRoot(basePath)}/captures/${id}`

export const videoPath = (basePath: string, id: string): string => `${capturePath(basePath, id)}/video`
export const logsPath = (basePath: string, id: string): string => `${capturePath(basePath, id)}/logs`

export const wireInvitation = ({ accountName, link, requestedBy }: Invitation): typeof contract.Invitation.Type => ({
  title: link.title,
  message: link.message,
  account_name: accountName,
  requested_by: requestedBy?.name ?? null,
  has_customer: link.customerEmail !== null,
  sources: link.sources,
  max_duration_seconds: link.maxDurationSeconds,
  redirect_url: link.redirectUrl
})

/** Returns the public part of a site, by which its pages redact and mask. */
export const wireOpenSite = ({ accountName, maxDurationSeconds, site }: OpenSite): typeof contract.PublicSite.Type => ({
  name: site.name,
  account_name: accountName,
  origins: site.origins,
  redaction: site.redaction,
  max_duration_seconds: maxDurationSeconds
})

export const wireBegun = (
  { capture, maxDurationSeconds, token }: BegunCapture,
  basePath: string
): typeof settings.Capture.Type => ({
  id: capture.id,
  recording_uuid: capture.recordingUuid,
  capture_token: token,
  video_url: videoPath(basePath, capture.id),
  logs_url: logsPath(basePath, capture.id),
  finish_url: `${capturePath(basePath, capture.id)}/finish`,
  max_duration_seconds: maxDurationSeconds,
  expires_at: toIso(capture.expiresAt)
})

/** The state is that of its end, also while what came is put together: a repeat of `finish` answers the same. */
export const wireFinished = ({ id, recordingUuid, state }: Capture): typeof contract.FinishedCapture.Type => ({
  id,
  recording_uuid: recordingUuid,
  state: state === "abandoning" || state === "abandoned" ? "abandoned" : "finished"
})
