import {
  type AccessToken,
  type Account,
  AccountId,
  type AuditDestination,
  type Automation,
  AutomationId,
  DestinationId,
  type Folder,
  FolderId,
  Instant,
  parseIso,
  type Recording,
  RecordingId,
  RecordingUuid,
  TokenId,
  type User,
  UserId,
  type WholeRecording
} from "@tapedeck/domain"
import { jobIds, queueKeyOf, type TranscriptJob } from "@tapedeck/domain/internal/jobs"
import {
  noHelpdesk,
  noParts,
  putTogether,
  takenApart,
  type WholeTranscript
} from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import type { Caller, Store } from "../src/index.ts"

export const startInstant: Instant = parseIso("2026-01-01T00:00:00.000Z")!

/** So many milliseconds after the start. */
export const instantAfter = (ms: number): Instant => Instant.make(startInstant + ms)

export const uuidOf = (n: number): RecordingUuid =>
  RecordingUuid.make(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`)

export const acme: Account = { id: AccountId.make(1), name: "Acme", apiAccess: true }
export const other: Account = { id: AccountId.make(2), name: "Other", apiAccess: true }

export const aUser = (id: number, known: Partial<User> = {}): User => ({
  id: UserId.make(id),
  accountId: acme.id,
  email: `user-${id}@acme.test`,
  name: `User ${id}`,
  role: "member",
  active: true,
  hasProfilePicture: false,
  notifyFailedDeliveries: "Enabled",
  notifications: { notifyFirstView: "Enabled", notifyAllRecordings: "Enabled", notifyOwnRecordings: "Enabled" },
  createdAt: startInstant,
  updatedAt: startInstant,
  ...known
})

export const ada = aUser(11, { email: "ada@acme.test", name: "Ada", role: "admin" })
export const bob = aUser(12, { email: "bob@acme.test", name: "Bob" })
export const cyd = aUser(13, { email: "cyd@acme.test", name: "Cyd" })
export const otto = aUser(31, { email: "otto@other.test", name: "Otto", role: "admin", accountId: other.id })

/** The token of `callerOf`. */
export const sessionTokenOf = (user: User): AccessToken => ({
  id: TokenId.make(`token of ${user.id}`),
  userId: user.id,
  name: "Session",
  kind: "session",
  hash: `hash of the token of ${user.id}`,
  sealed: "",
  createdAt: startInstant,
  revokedAt: null,
  lastUsedAt: null
})

/** A caller with an access token or a session of this user. */
export const callerOf = (user: User, known: Partial<Caller> = {}): Caller => ({
  user,
  account: user.accountId === acme.id ? acme : other,
  tokenId: TokenId.make(`token of ${user.id}`),
  kind: "access",
  ...known
})

/** A recording of which nothing optional is known, but for what the test says. */
export const aRecording = (id: number, known: Partial<Recording> = {}): Recording => ({
  id: RecordingId.make(id),
  uuid: uuidOf(id),
  accountId: acme.id,
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

/** The same with its parts, as `saveWhole` writes it and `readWhole` reads it. */
export const aWholeRecording = (id: number, known: Partial<WholeRecording> = {}): WholeRecording => ({
  ...putTogether(aRecording(id), noParts),
  ...known
})

export const saveWhole = (store: Store, whole: WholeRecording) => {
  const { parts, recording } = takenApart(whole)
  return Effect.andThen(store.recordings.save(recording), store.recordingParts.save(recording.id, parts))
}

const all = { offset: 0, limit: 1_000 }

export const readWhole = Effect.fnUntraced(function* ({ recordingParts, recordings }: Store, uuid: RecordingUuid) {
  const recording = yield* recordings.byUuid(uuid)
  if (recording === undefined) return undefined
  const parts = yield* recordingParts.read(
    recording.id,
    "consoleErrors",
    "networkErrors",
    "speakerMap",
    "legacyText",
    "log"
  )
  const edited = yield* recordingParts.segments(recording.id, "edited", all)
  const processed = yield* recordingParts.segments(recording.id, "processed", all)
  return putTogether(recording, { ...parts, edited, processed })
})

export const aTranscript = (known: Partial<WholeTranscript> = {}): WholeTranscript => ({
  status: "ready",
  language: "en",
  speakerMap: { "0": "Ada" },
  edited: null,
  processed: null,
  legacyText: null,
  ...known
})

export const aFolder = (id: string, known: Partial<Folder> = {}): Folder => ({
  id: FolderId.make(id),
  accountId: acme.id,
  name: `Folder ${id}`,
  createdAt: startInstant,
  ...known
})

export const anAutomation = (id: string, known: Partial<Automation> = {}): Automation => ({
  id: AutomationId.make(id),
  accountId: acme.id,
  folderId: FolderId.make("vip"),
  url: "https://receiver.test/hook",
  method: "POST",
  headers: {},
  secret: "secret",
  previousSecrets: [],
  payloadTemplate: null,
  enabled: true,
  createdAt: startInstant,
  ...known
})

export const aDestination = (id: string, known: Partial<AuditDestination> = {}): AuditDestination => ({
  id: DestinationId.make(id),
  accountId: acme.id,
  name: `Destination ${id}`,
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
  createdAt: startInstant,
  ...known
})

/** A step of a transcript of Acme's. */
export const aStep = (recording: number, ms: number): TranscriptJob => ({
  id: jobIds.transcript(uuidOf(recording), ms),
  kind: "transcript",
  queueKey: queueKeyOf("transcript", acme.id),
  recordingUuid: uuidOf(recording),
  status: "ready",
  failedTries: 0,
  dueAt: instantAfter(ms)
})
