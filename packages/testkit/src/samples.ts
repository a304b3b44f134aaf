import {
  type AccessToken,
  type Account,
  AccountId,
  type AuditDestination,
  AuditEntryId,
  type Automation,
  AutomationId,
  type Delivery,
  DeliveryId,
  DestinationId,
  type Folder,
  FolderId,
  type Helpdesk,
  Instant,
  type Platform,
  parseIso,
  type Recording,
  RecordingId,
  type RecordingParts,
  RecordingUuid,
  TokenId,
  type User,
  UserId
} from "@tapedeck/domain"
import type { AuditEntry } from "@tapedeck/domain/audit"
import { type AttemptResult, type Claim, folderSchedule } from "@tapedeck/domain/delivery"
import { type CaptureJob, jobIds, type TranscriptJob } from "@tapedeck/domain/internal/jobs"
import { noHelpdesk } from "@tapedeck/domain/internal/recordings"

/** Instant at which each trial starts. */
export const startInstant: Instant = parseIso("2026-01-01T00:00:00.000Z")!

/** Returns the instant `ms` milliseconds after the start. */
export const instantAfter = (ms: number): Instant => Instant.make(startInstant + ms)

/** Returns the n-th UUID of a sequence. */
export const uuidOf = (n: number): RecordingUuid =>
  RecordingUuid.make(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`)

export const anAccount = (id: number, known: Partial<Account> = {}): Account => ({
  id: AccountId.make(id),
  name: `Account ${id}`,
  apiAccess: true,
  ...known
})

export const aUser = (id: number, known: Partial<User> = {}): User => ({
  id: UserId.make(id),
  accountId: AccountId.make(1),
  email: `user-${id}@acme.test`,
  name: `User ${id}`,
  role: "member",
  active: true,
  hasProfilePicture: false,
  notifyFailedDeliveries: "Enabled",
  notifications: { notifyFirstView: "Enabled", notifyAllRecordings: "Disabled", notifyOwnRecordings: "Enabled" },
  createdAt: startInstant,
  updatedAt: startInstant,
  ...known
})

export const aToken = (id: string, userId: number, known: Partial<AccessToken> = {}): AccessToken => ({
  id: TokenId.make(id),
  userId: UserId.make(userId),
  name: `Token ${id}`,
  kind: "access",
  hash: `hash of ${id}`,
  sealed: `sealed ${id}`,
  createdAt: startInstant,
  revokedAt: null,
  lastUsedAt: null,
  ...known
})

/** Returns a recording without optional values, except those of the test. */
export const aRecording = (id: number, known: Partial<Recording> = {}): Recording => ({
  id: RecordingId.make(id),
  uuid: uuidOf(id),
  accountId: AccountId.make(1),
  ownerId: null,
  title: `Recording ${id}`,
  summary: null,
  description: null,
  createdAt: startInstant,
  updatedAt: startInstant,
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

/** Returns the links of a recording to a helpdesk. */
export const at = (platform: Platform, ids: Partial<Omit<Helpdesk, "platform">>): Helpdesk => ({
  ...noHelpdesk,
  platform,
  ...ids
})

/** Returns a recording with all fields set to values that a column or an encoding would most likely lose. */
export const fullRecording = (id: number): Recording => ({
  ...aRecording(id),
  ownerId: UserId.make(11),
  title: 'Ünïcode 🎥 "quoted" \\ and \n more',
  summary: "",
  description: " spaces at both ends ",
  createdAt: instantAfter(-86_400_001),
  updatedAt: instantAfter(1),
  durationSeconds: 0,
  impressionsCount: 2_147_483_648,
  type: "Live",
  source: "Zendesk ticket",
  helpdesk: {
    platform: "zendesk",
    conversationId: "c",
    ticketId: "00042",
    activeTicketId: "43",
    userId: "u",
    operatorId: "o",
    customerId: "cu",
    issueId: "i",
    objectId: "ob"
  },
  technicalDetails: { vendor: "v", ipAddress: "2001:db8::1", timezone: "Europe/Berlin", networkType: "4g", isp: "i" },
  consoleLogs: "one\r\ntwo\u0000three",
  browser: "Firefox",
  os: "Linux",
  customerEmail: "Customer@Example.test",
  roomInsights: {
    startedAt: instantAfter(0),
    endedAt: null,
    totalParticipantMinutes: 12.75,
    totalUniqueParticipants: 3,
    participantsInsights: [
      {
        participantId: "p1",
        displayName: null,
        role: "host",
        browser: null,
        os: null,
        device: null,
        deviceType: null,
        userAgent: "agent",
        joinedAt: instantAfter(5),
        leftAt: null
      }
    ]
  },
  v1Platform: "Win32",
  folderId: FolderId.make("folder"),
  video: {
    original: { fileId: "f1", contentType: "video/webm; codecs=vp9", sizeBytes: 5_000_000_000, etag: '"e1"' },
    processed: null,
    edited: { fileId: "f2", contentType: "video/mp4", sizeBytes: 0, etag: '"e2"' }
  },
  transcript: {
    status: "ready",
    language: "pt-BR",
    edited: 0,
    processed: 2,
    legacy: true
  }
})

/** Parts with values that an encoding would most likely lose. */
export const fullParts: RecordingParts = {
  consoleErrors: [{ message: "no", nested: [1, 2.5, null, true, { deep: "🧵" }] }, "text\u0000", 7],
  networkErrors: [],
  speakerMap: { "0": "Ada", "1": "" },
  edited: [],
  processed: [
    { startSeconds: 0, endSeconds: null, text: "Olá", sentences: [{ speaker: 0, words: [{ at: 0.25 }] }] },
    { startSeconds: 4, endSeconds: 9, text: "", sentences: [] }
  ],
  legacyText: "legacy",
  log: "H4sIAAAA+/=="
}

export const aCapture = (id: string): CaptureJob => ({
  id,
  queueKey: "capture:1:",
  kind: "capture",
  captureId: "1",
  recordingUuid: uuidOf(1),
  failedTries: 0,
  dueAt: startInstant
})

/** A step of a transcript. */
export const aStep = (recording: number, ms: number, known: Partial<TranscriptJob> = {}): TranscriptJob => ({
  id: jobIds.transcript(uuidOf(recording), ms),
  queueKey: "step:1:",
  kind: "transcript",
  recordingUuid: uuidOf(recording),
  status: "ready",
  failedTries: 0,
  dueAt: instantAfter(ms),
  ...known
})

export const aFolder = (id: string, known: Partial<Folder> = {}): Folder => ({
  id: FolderId.make(id),
  accountId: AccountId.make(1),
  name: `Folder ${id}`,
  createdAt: startInstant,
  ...known
})

export const anAutomation = (id: string, known: Partial<Automation> = {}): Automation => ({
  id: AutomationId.make(id),
  accountId: AccountId.make(1),
  folderId: FolderId.make("folder"),
  url: "https://receiver.test/hook?a=b",
  method: "POST",
  headers: { "X-Api-Key": "k", authorization: "Bearer ü" },
  secret: "s",
  previousSecrets: [{ secret: "r", expiresAt: instantAfter(1) }],
  payloadTemplate: null,
  enabled: true,
  createdAt: startInstant,
  ...known
})

export const aDestination = (id: string, known: Partial<AuditDestination> = {}): AuditDestination => ({
  id: DestinationId.make(id),
  accountId: AccountId.make(1),
  name: `Destination ${id}`,
  url: "https://siem.test/",
  description: null,
  secret: null,
  previousSecrets: [],
  headers: {},
  timeoutMs: 30_000,
  maxRetries: 6,
  filters: { categories: ["security"], eventTypes: [], severities: ["low", "high"] },
  signature: "sha256=hex",
  enabled: true,
  createdAt: startInstant,
  ...known
})

export const anAuditEntry = (id: number, known: Partial<AuditEntry> = {}): AuditEntry => ({
  id: AuditEntryId.make(id),
  accountId: AccountId.make(1),
  eventType: "recording.updated",
  status: "success",
  at: startInstant,
  userId: null,
  ipAddress: null,
  userAgent: null,
  metadata: { targetType: "recording", targetId: uuidOf(1), changes: { title: { from: null, to: "New" } } },
  ...known
})

/** Returns a delivery of an automation before its first attempt, which is due at the start. */
export const aDelivery = (id: string, known: Partial<Delivery> = {}): Delivery => ({
  id: DeliveryId.make(id),
  accountId: AccountId.make(1),
  automationId: AutomationId.make("automation"),
  destinationId: null,
  recordingUuid: uuidOf(1),
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body: '{"event":"recording.added_to_folder","note":"ünï 🎥"}',
  createdAt: startInstant,
  schedule: folderSchedule,
  state: { _tag: "Scheduled", dueAt: startInstant },
  attempts: [],
  ...known
})

/** Returns a delivery whose first attempt is due at this instant. */
export const dueAt = (id: string, instant: Instant, known: Partial<Delivery> = {}): Delivery =>
  aDelivery(id, { state: { _tag: "Scheduled", dueAt: instant }, ...known })

export const aResult = (known: Partial<AttemptResult> = {}): AttemptResult => ({
  outcome: "failure",
  statusCode: 500,
  request: {
    method: "POST",
    url: "https://receiver.test/hook",
    headers: [
      ["content-type", "application/json"],
      ["x-twice", "a"],
      ["x-twice", "b"]
    ]
  },
  response: { headers: [["retry-after", "5"]], body: "ünï", truncated: false },
  error: null,
  ...known
})

/** Returns the delivery that a worker writes after a failed attempt. */
export const failed = (claim: Claim, retryAt: Delivery["createdAt"]): Delivery => ({
  ...claim.delivery,
  state: { _tag: "Waiting", retry: 1, dueAt: retryAt, firstAttemptAt: startInstant },
  attempts: [
    ...claim.delivery.attempts,
    {
      ...aResult(),
      attempt: claim.delivery.attempts.length + 1,
      at: startInstant,
      elapsedMs: 0,
      endedAt: instantAfter(1)
    }
  ]
})

export const delivered = (claim: Claim): Delivery => ({
  ...claim.delivery,
  state: { _tag: "Delivered", at: instantAfter(1) },
  attempts: [
    ...claim.delivery.attempts,
    {
      ...aResult({ outcome: "success", statusCode: 204, response: null, error: null }),
      attempt: 1,
      at: startInstant,
      elapsedMs: 0,
      endedAt: instantAfter(1)
    }
  ]
})
