import {
  AccessToken,
  Account,
  AccountId,
  Attempt,
  AuditDestination,
  Automation,
  Delivery,
  DeliveryId,
  Folder,
  Instant,
  RecordingId,
  RecordingUuid,
  ShareLink,
  User,
  UserId,
  WholeRecording
} from "@tapedeck/domain"
import { AuditCheckpoint, AuditEntry, AuditSeal } from "@tapedeck/domain/audit"
import { Capture, CaptureLink, CapturePiece, CaptureToken, Site } from "@tapedeck/domain/capture"
import { type CountedReceiver, ReceiverHealth, Redelivery } from "@tapedeck/domain/internal/delivery"
import { ResumableUpload, UploadPiece } from "@tapedeck/domain/internal/files"
import { Job } from "@tapedeck/domain/internal/jobs"
import { emailKey, Password, Session, SignInLink, TryWindow } from "@tapedeck/domain/internal/people"
import { putTogether, takenApart } from "@tapedeck/domain/internal/recordings"
import { Schema, Struct } from "effect"
import { addPiece, saveSite } from "./captures.ts"
import { countersFrom, setMark } from "./recordingChanges.ts"
import { partsOf, saveParts, saveRecording } from "./recordings.ts"
import { markSeen, seenEntriesOf } from "./seenRecordings.ts"
import { saveSession } from "./signIn.ts"
import { addUploadPiece } from "./uploads.ts"
import { Draft, emptyWorld, type WorldState } from "./WorldState.ts"

const Place = Schema.Struct({ at: Instant, order: Schema.Int })

const AttemptResult = Attempt.mapFields(Struct.pick(["outcome", "statusCode", "request", "response", "error"]))

const DeliveryDue = Schema.Struct({
  kind: Schema.Literals(["attempt", "attempt_end", "lease"]),
  at: Instant,
  deliveryId: DeliveryId
})

const CountedReceiverText = Schema.String as unknown as Schema.Codec<CountedReceiver, string>

const FileContent = Schema.Union([
  Schema.Struct({ id: Schema.String, kind: Schema.Literal("bytes"), base64: Schema.String }),
  Schema.Struct({ id: Schema.String, kind: Schema.Literal("made_up"), sizeBytes: Schema.Natural })
])

/** A `WorldState` as one JSON document. What can be derived, the indexes, is left out. */
export const WorldStateDocument = Schema.Struct({
  counters: Schema.Record(Schema.String, Schema.Natural),
  accounts: Schema.Array(Account),
  users: Schema.Array(User),
  tokens: Schema.Array(AccessToken),
  recordings: Schema.Array(WholeRecording),
  folders: Schema.Array(Folder),
  automations: Schema.Array(Automation),
  destinations: Schema.Array(AuditDestination),
  auditEntries: Schema.Array(AuditEntry),
  deliveries: Schema.Array(
    Schema.Struct({
      sequence: Schema.Int,
      delivery: Delivery,
      fence: Schema.Int,
      held: Schema.NullOr(AttemptResult),
      place: Schema.NullOr(Place),
      leasedUntil: Schema.NullOr(Instant)
    })
  ),
  agenda: Schema.Array(Schema.Struct({ place: Place, due: DeliveryDue })),
  jobs: Schema.Array(Schema.Struct({ job: Job, fence: Schema.Int, place: Place })),
  files: Schema.Array(FileContent),
  rateWindows: Schema.Array(Schema.Struct({ tokenId: Schema.String, startedAt: Instant, requests: Schema.Natural })),
  /** The order of changes of recordings, and removals. Absent in documents of earlier versions: then all recordings have changed. */
  recordingChanges: Schema.optionalKey(
    Schema.Array(
      Schema.Union([
        Schema.Struct({ mark: Schema.Int, recordingId: RecordingId }),
        Schema.Struct({
          mark: Schema.Int,
          uuid: RecordingUuid,
          accountId: AccountId,
          ownerId: Schema.NullOr(UserId),
          isDeleted: Schema.Boolean,
          removedAt: Instant
        })
      ])
    )
  ),
  /** Present if users have opened recordings. */
  seenRecordings: Schema.optionalKey(
    Schema.Array(Schema.Struct({ uuid: RecordingUuid, userId: UserId, expiresAt: Instant }))
  ),
  /** Present if recordings are shared by links. */
  shareLinks: Schema.optionalKey(Schema.Array(ShareLink)),
  /** Present if attempts were made. */
  statistics: Schema.optionalKey(
    Schema.Struct({
      counts: Schema.Array(
        Schema.Struct({
          accountId: AccountId,
          hour: Instant,
          receiver: CountedReceiverText,
          measure: Schema.Int,
          attempts: Schema.Int
        })
      ),
      health: Schema.Array(
        Schema.Struct({ accountId: AccountId, receiver: CountedReceiverText, health: ReceiverHealth, lastAt: Instant })
      )
    })
  ),
  /** Present if deliveries were delivered again by a filter. */
  redeliveries: Schema.optionalKey(Schema.Array(Schema.Struct({ sequence: Schema.Int, redelivery: Redelivery }))),
  /** Present if entries are linked. */
  auditChain: Schema.optionalKey(
    Schema.Struct({
      key: Schema.String,
      seals: Schema.Array(AuditSeal),
      checkpoints: Schema.Array(AuditCheckpoint)
    })
  ),
  /** Present if requests came with an `Idempotency-Key`. */
  storedResponses: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        id: Schema.String,
        caller: Schema.String,
        sealed: Schema.String,
        expiresAt: Instant,
        number: Schema.Int
      })
    )
  ),
  /** Present if recordings are captured. */
  captures: Schema.optionalKey(
    Schema.Struct({
      sites: Schema.Array(Site),
      links: Schema.Array(CaptureLink),
      captures: Schema.Array(Capture),
      pieces: Schema.Array(Schema.Struct({ captureId: Schema.String, piece: CapturePiece })),
      tokens: Schema.Array(CaptureToken)
    })
  ),
  /** Present if videos are uploaded in parts. */
  uploads: Schema.optionalKey(
    Schema.Struct({
      uploads: Schema.Array(ResumableUpload),
      pieces: Schema.Array(Schema.Struct({ uploadId: Schema.String, piece: UploadPiece }))
    })
  ),
  /** Present in services with sign-in. */
  signIn: Schema.optionalKey(
    Schema.Struct({
      sessions: Schema.Array(Session),
      passwords: Schema.Array(Password),
      links: Schema.Array(SignInLink),
      windows: Schema.Array(TryWindow)
    })
  )
})
export type WorldStateDocument = typeof WorldStateDocument.Type

export const documentOfWorldState = (state: WorldState): WorldStateDocument => ({
  counters: state.counters,
  accounts: state.accounts.valuesArray(),
  users: state.users.valuesArray(),
  tokens: state.tokens.valuesArray(),
  recordings: state.recordings.valuesArray().map((recording) => putTogether(recording, partsOf(state, recording.id))),
  folders: [...state.folders.values()],
  automations: [...state.automations.values()],
  destinations: [...state.destinations.values()],
  auditEntries: state.auditEntries.valuesArray(),
  deliveries: state.deliveries.valuesArray(),
  agenda: state.agenda.toArray().flatMap(([place, due]) => (due.kind === "job" ? [] : [{ place, due }])),
  jobs: state.jobs.valuesArray(),
  files: state.files
    .toArray()
    .map(([id, content]) =>
      content.kind === "bytes"
        ? { id, kind: "bytes", base64: Buffer.from(content.bytes).toString("base64") }
        : { id, kind: "made_up", sizeBytes: content.sizeBytes }
    ),
  rateWindows: state.rateWindows.toArray().map(([tokenId, window]) => ({ tokenId, ...window })),
  ...(state.recordingChanges.size > 0 && { recordingChanges: state.recordingChanges.valuesArray() }),
  ...(state.seenRecordings.size > 0 && { seenRecordings: seenEntriesOf(state) }),
  ...(state.shareLinks.size > 0 && { shareLinks: state.shareLinks.valuesArray() }),
  ...statisticsOf(state),
  ...(state.redeliveries.size > 0 && { redeliveries: state.redeliveries.valuesArray() }),
  ...auditChainOf(state),
  ...(state.storedResponses.size > 0 && { storedResponses: state.storedResponses.valuesArray() }),
  ...capturesOf(state),
  ...(state.uploads.size > 0 && {
    uploads: { uploads: state.uploads.valuesArray(), pieces: state.uploadPieces.valuesArray() }
  }),
  ...signInOf(state)
})

const statisticsOf = ({ attemptCounts, receiverHealth }: WorldState) =>
  attemptCounts.size === 0
    ? {}
    : { statistics: { counts: attemptCounts.valuesArray(), health: receiverHealth.valuesArray() } }
const capturesOf = (state: WorldState) => {
  const captures = {
    sites: [...state.sites.values()],
    links: [...state.captureLinks.values()],
    captures: state.captures.valuesArray(),
    pieces: state.capturePieces.valuesArray(),
    tokens: state.captureTokens.valuesArray()
  }
  return Object.values(captures).every((list) => list.length === 0) ? {} : { captures }
}

const auditChainOf = ({ auditChainKey, auditCheckpoints, auditSeals }: WorldState) => {
  const key = auditChainKey.get("key")
  if (key === undefined) return {}
  return { auditChain: { key, seals: auditSeals.valuesArray(), checkpoints: auditCheckpoints.valuesArray() } }
}

const signInOf = (state: WorldState) => {
  const signIn = {
    sessions: state.sessions.valuesArray(),
    passwords: state.passwords.valuesArray(),
    links: state.signInLinks.valuesArray(),
    windows: state.tryWindows.valuesArray()
  }
  return Object.values(signIn).every((list) => list.length === 0) ? {} : { signIn }
}

/** The state of a document, with its indexes rebuilt. */
export const worldStateOfDocument = (document: WorldStateDocument): WorldState => {
  const draft = new Draft(emptyWorld())
  for (const account of document.accounts) draft.edit("accounts").set(account.id, account)
  for (const user of document.users) {
    draft.edit("users").set(user.id, user)
    draft.edit("usersByEmail").set(emailKey(user.email), user.id)
  }
  for (const token of document.tokens) {
    draft.edit("tokens").set(token.id, token)
    draft.edit("tokensByHash").set(token.hash, token.id)
  }
  for (const whole of document.recordings) {
    const { parts, recording } = takenApart(whole)
    saveRecording(draft, recording, recording.createdAt)
    saveParts(draft, recording.id, parts)
  }
  const counters = countersFrom(document.counters, draft)
  if (document.recordingChanges !== undefined) {
    for (const mark of draft.state.recordingChanges.keysArray()) draft.edit("recordingChanges").delete(mark)
    for (const change of document.recordingChanges) setMark(draft, change)
  }
  for (const folder of document.folders) draft.editMap("folders").set(folder.id, folder)
  for (const automation of document.automations) draft.editMap("automations").set(automation.id, automation)
  for (const destination of document.destinations) draft.editMap("destinations").set(destination.id, destination)
  for (const entry of document.auditEntries) draft.edit("auditEntries").set(entry.id, entry)
  if (document.auditChain !== undefined) {
    const { checkpoints, key, seals } = document.auditChain
    draft.edit("auditChainKey").set("key", key)
    for (const seal of seals) draft.edit("auditSeals").set(seal, seal)
    for (const checkpoint of checkpoints) draft.edit("auditCheckpoints").set(checkpoint.accountId, checkpoint)
  }
  for (const row of document.deliveries) {
    draft.edit("deliveries").set(row.sequence, row)
    draft.edit("deliveriesById").set(row.delivery.id, row.sequence)
  }
  for (const { due, place } of document.agenda) {
    draft.edit("agenda").set(place, due)
    if (due.kind === "lease") draft.state.leases++
  }
  for (const count of document.statistics?.counts ?? []) draft.edit("attemptCounts").set(count, count)
  for (const row of document.statistics?.health ?? [])
    draft.edit("receiverHealth").set(`${row.accountId} ${row.receiver}`, row)
  for (const row of document.redeliveries ?? []) draft.edit("redeliveries").set(row.redelivery.id, row)
  for (const row of document.jobs) {
    draft.edit("jobs").set(row.job.id, row)
    draft.edit("agenda").set(row.place, { kind: "job", at: row.place.at, jobId: row.job.id })
  }
  for (const { uuid, ...seen } of document.seenRecordings ?? []) markSeen(draft, uuid, seen)
  for (const link of document.shareLinks ?? []) draft.edit("shareLinks").set(link.id, link)
  for (const file of document.files) {
    const content =
      file.kind === "bytes"
        ? { kind: file.kind, bytes: new Uint8Array(Buffer.from(file.base64, "base64")) }
        : { kind: file.kind, sizeBytes: file.sizeBytes }
    draft.edit("files").set(file.id, content)
  }
  for (const { tokenId, ...window } of document.rateWindows) draft.edit("rateWindows").set(tokenId, window)
  for (const answer of document.storedResponses ?? []) draft.edit("storedResponses").set(answer.id, answer)
  for (const site of document.captures?.sites ?? []) saveSite(draft, site)
  for (const link of document.captures?.links ?? []) draft.editMap("captureLinks").set(link.id, link)
  for (const capture of document.captures?.captures ?? []) draft.edit("captures").set(capture.id, capture)
  for (const { captureId, piece } of document.captures?.pieces ?? []) addPiece(draft, captureId, piece)
  for (const token of document.captures?.tokens ?? []) draft.edit("captureTokens").set(token.hash, token)
  for (const upload of document.uploads?.uploads ?? []) draft.edit("uploads").set(upload.id, upload)
  for (const { uploadId, piece } of document.uploads?.pieces ?? []) addUploadPiece(draft, uploadId, piece)
  for (const session of document.signIn?.sessions ?? []) saveSession(draft, session)
  for (const password of document.signIn?.passwords ?? []) draft.edit("passwords").set(password.userId, password)
  for (const link of document.signIn?.links ?? []) draft.edit("signInLinks").set(link.hash, link)
  for (const window of document.signIn?.windows ?? []) draft.edit("tryWindows").set(window.key, window)
  return { ...draft.state, counters }
}
