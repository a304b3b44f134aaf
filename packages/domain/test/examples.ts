import {
  type AccountId,
  type FolderId,
  type Instant,
  parseIso,
  type Recording,
  type RecordingId,
  type RecordingUuid,
  type UserId
} from "../src/index.ts"
import { noHelpdesk } from "../src/internal/recordings.ts"

export const instant = (iso: string): Instant => {
  const parsed = parseIso(iso)
  if (parsed === undefined) throw new Error(`not an instant: ${iso}`)
  return parsed
}

/** A recording of which nothing optional is known, but for what the test says. */
export const aRecording = (known: Partial<Recording> = {}): Recording => ({
  id: 1 as RecordingId,
  uuid: "7d0f3c1e-0000-4000-8000-000000000001" as RecordingUuid,
  accountId: 1 as AccountId,
  ownerId: 1 as UserId,
  title: null,
  summary: null,
  description: null,
  createdAt: instant("2026-01-01T09:00:00Z"),
  updatedAt: instant("2026-01-01T09:00:00Z"),
  durationSeconds: null,
  impressionsCount: 0,
  type: "Received",
  source: null,
  helpdesk: noHelpdesk,
  technicalDetails: { vendor: null, ipAddress: null, timezone: null, networkType: null, isp: null },
  consoleLogs: null,
  browser: null,
  os: null,
  customerEmail: null,
  roomInsights: null,
  v1Platform: null,
  folderId: null,
  video: { original: null, processed: null, edited: null },
  transcript: null,
  ...known
})

export const vipFolder = { id: "f1" as FolderId, name: "VIP" }
export const acme = { id: 7 as AccountId, name: "Acme" }
