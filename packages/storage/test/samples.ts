import {
  type AccessToken,
  type Account,
  AccountId,
  type AuditDestination,
  type Automation,
  AutomationId,
  type Delivery,
  DeliveryId,
  DestinationId,
  type Folder,
  FolderId,
  Instant,
  RecordingUuid,
  RedeliveryId,
  TokenId,
  type User,
  UserId
} from "@tapedeck/domain"
import {
  type Capture,
  type CaptureLink,
  defaultSources,
  noLogUse,
  noSiteRedaction,
  type Site
} from "@tapedeck/domain/capture"
import { folderSchedule } from "@tapedeck/domain/delivery"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import type { ResumableUpload } from "@tapedeck/domain/internal/files"
import { jobIds, type MailJob, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { noHelpdesk } from "@tapedeck/domain/internal/recordings"

export const start = Instant.make(1_767_225_600_000)

export const acme: Account = { id: AccountId.make(1), name: "Acme", apiAccess: true }

export const ada: User = {
  id: UserId.make(1),
  accountId: acme.id,
  email: "ada@acme.test",
  name: "Ada",
  role: "admin",
  active: true,
  hasProfilePicture: false,
  notifyFailedDeliveries: "Enabled",
  notifications: { notifyFirstView: "Enabled", notifyAllRecordings: "Disabled", notifyOwnRecordings: "Enabled" },
  createdAt: start,
  updatedAt: start
}

export const aFolder = (id: string): Folder => ({
  id: FolderId.make(id),
  accountId: acme.id,
  name: `Folder ${id}`,
  createdAt: start
})

export const aToken = (hash: string, sealed: string): AccessToken => ({
  id: TokenId.make("token"),
  userId: ada.id,
  name: "Token",
  kind: "access",
  hash,
  sealed,
  createdAt: start,
  revokedAt: null,
  lastUsedAt: null
})

export const anAutomation = (known: Partial<Automation> = {}): Automation => ({
  id: AutomationId.make("automation"),
  accountId: acme.id,
  folderId: FolderId.make("folder"),
  url: "https://receiver.test/hook",
  method: "POST",
  headers: {},
  secret: "whsec_c2VjcmV0",
  previousSecrets: [],
  payloadTemplate: null,
  enabled: true,
  createdAt: start,
  ...known
})

export const aDestination = (known: Partial<AuditDestination> = {}): AuditDestination => ({
  id: DestinationId.make("destination"),
  accountId: acme.id,
  name: "Destination",
  url: "https://siem.test/",
  description: null,
  secret: null,
  previousSecrets: [],
  headers: {},
  timeoutMs: 30_000,
  maxRetries: 6,
  filters: { categories: [], eventTypes: [], severities: [] },
  signature: "hex",
  enabled: true,
  createdAt: start,
  ...known
})

export const aDelivery = (id: string): Delivery => ({
  id: DeliveryId.make(id),
  accountId: acme.id,
  automationId: AutomationId.make("automation"),
  destinationId: null,
  recordingUuid: null,
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body: '{"event":"recording.added_to_folder"}',
  createdAt: start,
  schedule: folderSchedule,
  state: { _tag: "Scheduled", dueAt: start },
  attempts: []
})

export const aMail = (subject: string): MailJob => ({
  id: jobIds.mail(subject),
  queueKey: queueKeyOf("mail", acme.id),
  kind: "mail",
  accountId: acme.id,
  userId: ada.id,
  switch: "first_view",
  recordingUuid: null,
  deliveryId: null,
  subject: null,
  reason: null,
  failedTries: 0,
  createdAt: start,
  dueAt: start
})

export const aRedelivery = (id: string): Redelivery => ({
  id: RedeliveryId.make(id),
  accountId: acme.id,
  userId: ada.id,
  createdAt: start,
  filter: {},
  limit: 10,
  rate: 1,
  count: 10,
  isExact: true,
  place: 10,
  redelivered: 0,
  skipped: 0,
  state: { _tag: "Running", dueAt: start }
})

export const aSite = (id: string): Site => ({
  id,
  accountId: acme.id,
  name: "Site",
  createdAt: start,
  origins: ["https://*.a.test"],
  folderId: null,
  platform: null,
  redaction: noSiteRedaction,
  isEnabled: true,
  key: `key of ${id}`
})

export const aCaptureLink = (id: string): CaptureLink => ({
  id,
  accountId: acme.id,
  createdBy: ada.id,
  createdAt: start,
  tokenHash: `hash of ${id}`,
  sealedToken: `token of ${id}`,
  title: null,
  message: null,
  helpdesk: noHelpdesk,
  customerEmail: null,
  folderId: null,
  siteId: null,
  sources: defaultSources,
  maxUses: null,
  maxDurationSeconds: 60,
  expiresAt: start,
  redirectUrl: null,
  uses: 0,
  revokedAt: null
})

export const anUpload = (id: string): ResumableUpload => ({
  id,
  recordingUuid: RecordingUuid.make("00000000-0000-4000-8000-000000000003"),
  userId: ada.id,
  isComplete: false,
  offset: 1,
  sizeBytes: null,
  contentType: "video/webm",
  metadata: null,
  pieces: 1,
  expiresAt: start,
  fence: 0,
  leasedUntil: null
})

export const aCapture = (id: string): Capture => ({
  id,
  accountId: acme.id,
  recordingUuid: RecordingUuid.make("00000000-0000-4000-8000-000000000003"),
  title: null,
  linkId: null,
  siteId: null,
  folderId: null,
  state: "open",
  beganAt: start,
  expiresAt: start,
  maxBytes: 1,
  receivedBytes: 0,
  uploads: [],
  streams: [],
  use: noLogUse,
  redactions: {},
  lastPiece: 0,
  videoPieces: 0,
  pairings: 0
})
