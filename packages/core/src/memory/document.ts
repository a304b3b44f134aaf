import {
  AccessToken,
  Account,
  Attempt,
  AuditCheckpoint,
  AuditDestination,
  AuditEntry,
  AuditSeal,
  Automation,
  Delivery,
  DeliveryId,
  Folder,
  Instant,
  MediaJob,
  Password,
  putTogether,
  RecordingUuid,
  Session,
  SignInLink,
  TranscriptStatus,
  TryWindow,
  takenApart,
  User,
  WholeRecording
} from "@tapedeck/domain"
import { Effect, Schema, Struct } from "effect"
import { keyOfJob } from "./mediaJobs.ts"
import { partsOf, saveParts, saveRecording } from "./recordings.ts"
import { saveSession } from "./signIn.ts"
import { Draft, emptyWorld, type WorldState } from "./WorldState.ts"

const Place = Schema.Struct({ at: Instant, order: Schema.Int })

const AttemptResult = Attempt.mapFields(Struct.pick(["outcome", "statusCode", "request", "response", "error"]))

const DeliveryDue = Schema.Struct({
  kind: Schema.Literals(["attempt", "attempt_end", "lease"]),
  at: Instant,
  deliveryId: DeliveryId
})
const TranscriptDue = Schema.Struct({
  kind: Schema.Literal("transcript"),
  at: Instant,
  step: Schema.Struct({ recordingUuid: RecordingUuid, at: Instant, status: TranscriptStatus })
})

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
      // Documents of before it was said here.
      leasedUntil: Schema.NullOr(Instant).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
    })
  ),
  agenda: Schema.Array(Schema.Struct({ place: Place, due: Schema.Union([DeliveryDue, TranscriptDue]) })),
  mediaJobs: Schema.Array(Schema.Struct({ job: MediaJob, fence: Schema.Int, availableAt: Instant })).pipe(
    // Documents of before there were any.
    Schema.withDecodingDefaultKey(Effect.succeed([]))
  ),
  files: Schema.Array(FileContent),
  rateWindows: Schema.Array(Schema.Struct({ tokenId: Schema.String, startedAt: Instant, requests: Schema.Natural })),
  /** Where entries are linked, which the emulator does not do. */
  auditChain: Schema.optionalKey(
    Schema.Struct({
      key: Schema.String,
      seals: Schema.Array(AuditSeal),
      checkpoints: Schema.Array(AuditCheckpoint)
    })
  ),
  /** Where requests came with an `Idempotency-Key`. */
  keptAnswers: Schema.optionalKey(
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
  /** Where somebody can sign in. */
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
  agenda: state.agenda.toArray().map(([place, due]) => ({ place, due })),
  mediaJobs: state.mediaJobs.valuesArray(),
  files: state.files
    .toArray()
    .map(([id, content]) =>
      content.kind === "bytes"
        ? { id, kind: "bytes", base64: Buffer.from(content.bytes).toString("base64") }
        : { id, kind: "made_up", sizeBytes: content.sizeBytes }
    ),
  rateWindows: state.rateWindows.toArray().map(([tokenId, window]) => ({ tokenId, ...window })),
  ...auditChainOf(state),
  ...(state.keptAnswers.size > 0 && { keptAnswers: state.keptAnswers.valuesArray() }),
  ...signInOf(state)
})

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

/** Documents of before did not say so in the delivery, and had its lease's end for its place. */
const restoreLease = (draft: Draft, { at, deliveryId }: { readonly at: Instant; readonly deliveryId: DeliveryId }) => {
  draft.state.leases++
  const sequence = draft.state.deliveriesById.get(deliveryId)
  const row = sequence === undefined ? undefined : draft.state.deliveries.get(sequence)
  if (row !== undefined) draft.edit("deliveries").set(row.sequence, { ...row, leasedUntil: at })
}

/** The state that a document holds, its indexes built anew. */
export const worldStateOfDocument = (document: WorldStateDocument): WorldState => {
  const draft = new Draft(emptyWorld())
  for (const account of document.accounts) draft.edit("accounts").set(account.id, account)
  for (const user of document.users) {
    draft.edit("users").set(user.id, user)
    draft.edit("usersByEmail").set(user.email.toLowerCase(), user.id)
  }
  for (const token of document.tokens) {
    draft.edit("tokens").set(token.id, token)
    draft.edit("tokensByHash").set(token.hash, token.id)
  }
  for (const whole of document.recordings) {
    const { parts, recording } = takenApart(whole)
    saveRecording(draft, recording)
    saveParts(draft, recording.id, parts)
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
    if (due.kind === "lease") restoreLease(draft, due)
  }
  for (const row of document.mediaJobs) draft.edit("mediaJobs").set(keyOfJob(row.job), row)
  for (const file of document.files) {
    const content =
      file.kind === "bytes"
        ? { kind: file.kind, bytes: new Uint8Array(Buffer.from(file.base64, "base64")) }
        : { kind: file.kind, sizeBytes: file.sizeBytes }
    draft.edit("files").set(file.id, content)
  }
  for (const { tokenId, ...window } of document.rateWindows) draft.edit("rateWindows").set(tokenId, window)
  for (const answer of document.keptAnswers ?? []) draft.edit("keptAnswers").set(answer.id, answer)
  for (const session of document.signIn?.sessions ?? []) saveSession(draft, session)
  for (const password of document.signIn?.passwords ?? []) draft.edit("passwords").set(password.userId, password)
  for (const link of document.signIn?.links ?? []) draft.edit("signInLinks").set(link.hash, link)
  for (const window of document.signIn?.windows ?? []) draft.edit("tryWindows").set(window.key, window)
  return { ...draft.state, counters: document.counters }
}
