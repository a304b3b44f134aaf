import {
  type AccountId,
  type FolderId,
  type Instant,
  type Recording,
  RecordingId,
  RecordingUuid,
  UserId
} from "@tapedeck/domain"
import { type Capture, type CaptureToken, noLogUse, type Site } from "@tapedeck/domain/capture"
import { DEFAULT_CAPTURE_SECONDS, type RecordingInput, type SiteCaptureInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { keepCaptureQuota } from "../files/quota.ts"
import { Ids } from "../Ids.ts"
import { now } from "../now.ts"
import { newRecording } from "../recordings/recordingInput.ts"
import { markSeen } from "../recordings/SeenRecordings.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { recordingChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { keepAlive } from "./captureJob.ts"
import { bytesPerSecond, captureSlackMs } from "./limits.ts"

/** Data with which a capture starts. */
export interface NewCapture {
  readonly accountId: AccountId
  readonly ownerId: UserId | null
  /** The acting user; null for a customer. */
  readonly userId: UserId | null
  readonly linkId: string | null
  readonly siteId: string | null
  readonly folderId: FolderId | null
  readonly maxDurationSeconds: number
  readonly recording: RecordingInput
}

/** A capture that has begun, and the token that opens it. */
export interface BegunCapture {
  readonly capture: Capture
  readonly token: string
  readonly maxDurationSeconds: number
  /** An earlier request with the same key has begun it. */
  readonly isRepeated: boolean
}

/** A new secret of 192 bits. */
export const newSecret = Effect.map(
  Effect.flatMap(Ids, (ids) => ids.bytes("capture_secret", 24)),
  (bytes) => Buffer.from(bytes).toString("base64url")
)

/** Makes a token of this kind; returns its text. Inside the transaction. */
export const issueToken = Effect.fnUntraced(function* (
  captureId: string,
  kind: CaptureToken["kind"],
  expiresAt: Instant
) {
  const store = yield* storeOf("captures")
  const vault = yield* Vault
  const text = yield* newSecret
  yield* store.captures.saveToken({ hash: vault.hash(text), captureId, kind, expiresAt })
  return text
})

/** Returns a new capture, without data. */
export const openCaptureFrom = (
  origin: Pick<NewCapture, "accountId" | "folderId" | "linkId" | "maxDurationSeconds" | "siteId">,
  { at, id, recording }: Pick<Capture, "id"> & { readonly recording: Recording; readonly at: Instant }
): Capture => ({
  id,
  accountId: origin.accountId,
  recordingUuid: recording.uuid,
  title: recording.title,
  linkId: origin.linkId,
  siteId: origin.siteId,
  folderId: origin.folderId,
  state: "open",
  beganAt: at,
  expiresAt: (at + origin.maxDurationSeconds * 1_000 + captureSlackMs) as Instant,
  maxBytes: origin.maxDurationSeconds * bytesPerSecond,
  receivedBytes: 0,
  uploads: [],
  streams: [],
  use: noLogUse,
  redactions: {},
  lastPiece: 0,
  videoPieces: 0,
  pairings: 0
})

/** Makes the recording, without a video, and its capture. Inside the transaction. */
export const beginCapture = Effect.fnUntraced(function* (newCapture: NewCapture) {
  const store = yield* storeOf("accounts", "captures", "changes", "nextNumber", "recordings", "users")
  const audit = yield* AuditLog
  const { vendor } = yield* ServiceConfig
  const at = yield* now
  const owner = newCapture.ownerId === null ? undefined : yield* store.users.byId(newCapture.ownerId)
  if (owner !== undefined) yield* keepCaptureQuota(owner)
  const made = newRecording(newCapture.recording, {
    id: RecordingId.make(yield* store.nextNumber("recording")),
    uuid: RecordingUuid.make(yield* Ids.uuid("recording")),
    accountId: newCapture.accountId,
    ownerId: newCapture.ownerId,
    at,
    vendor
  })
  const account = yield* store.accounts.byId(newCapture.accountId)
  yield* store.recordings.save(account?.sharing === undefined ? made : { ...made, sharing: account.sharing })
  yield* store.changes.publishOnCommit(recordingChange(made))
  const user = newCapture.userId === null ? null : ((yield* store.users.byId(newCapture.userId)) ?? null)
  if (user !== null) yield* markSeen(store.recordings, made, user)
  yield* audit.record({
    accountId: newCapture.accountId,
    eventType: "recording.created",
    status: "success",
    user,
    target: { type: "recording", id: made.uuid },
    changes: { title: { from: null, to: made.title } }
  })
  const capture = openCaptureFrom(newCapture, { id: yield* Ids.uuid("capture"), recording: made, at })
  yield* store.captures.save(capture)
  yield* keepAlive(capture)
  yield* store.captures.pruneTokens(at)
  const token = yield* issueToken(capture.id, "capture", capture.expiresAt)
  const begun: BegunCapture = { capture, token, maxDurationSeconds: newCapture.maxDurationSeconds, isRepeated: false }
  return begun
})

/** Returns the capture that the page of a site starts. */
export const captureOnSite = (site: Site, input: SiteCaptureInput): NewCapture => ({
  accountId: site.accountId,
  ownerId: null,
  userId: null,
  linkId: null,
  siteId: site.id,
  folderId: site.folderId,
  maxDurationSeconds: DEFAULT_CAPTURE_SECONDS,
  recording: {
    recording_type: "Received",
    title: input.title ?? null,
    ...(site.platform !== null && {
      helpdesk: { platform: site.platform, ticket_id: input.ticket_id ?? null }
    }),
    customer: { email: input.customer?.email ?? null }
  }
})

/** Returns whether the user who owns the capture's recording is deactivated. Such a capture ends like a silent one. */
export const isOfDeactivated = Effect.fnUntraced(function* ({ recordingUuid }: Capture) {
  const { recordings, users } = yield* storeOf("recordings", "users")
  const ownerId = (yield* recordings.byUuid(recordingUuid))?.ownerId ?? null
  const owner = ownerId === null ? undefined : yield* users.byId(UserId.make(ownerId))
  return owner?.active === false
})

/** Returns the hash of a begin key. `entrance` is the token of the link, or the key of the site. */
export const beginHash = ({ hash }: Vault["Service"], entrance: string, key: string | null) =>
  key === null ? null : hash(`begin ${entrance} ${key}`)

/** The capture that a request with this key has begun. It is open: the key ends with it. */
export const begunBefore = Effect.fnUntraced(function* (hash: string | null) {
  const store = yield* storeOf("captures")
  const found = hash === null ? undefined : yield* store.captures.byToken(hash)
  const isValid = found !== undefined && found.token.expiresAt > (yield* now)
  return isValid && !(yield* isOfDeactivated(found.capture)) ? found.capture : undefined
})

/**
 * Begins a capture once for each key: a repeat gets the same capture, with another token, and is a sign of life. The first token stays
 * valid, because its answer may have arrived. Inside the transaction.
 */
export const beginOnce = Effect.fnUntraced(function* <E, R>(
  hash: string | null,
  begin: Effect.Effect<BegunCapture, E, R>
) {
  const store = yield* storeOf("captures")
  const capture = yield* begunBefore(hash)
  if (capture === undefined) {
    const begun = yield* begin
    const { expiresAt, id: captureId } = begun.capture
    if (hash !== null) yield* store.captures.saveToken({ hash, captureId, kind: "begin", expiresAt })
    return begun
  }
  yield* keepAlive(capture)
  const token = yield* issueToken(capture.id, "capture", capture.expiresAt)
  const again: BegunCapture = {
    capture,
    token,
    maxDurationSeconds: capture.maxBytes / bytesPerSecond,
    isRepeated: true
  }
  return again
})
