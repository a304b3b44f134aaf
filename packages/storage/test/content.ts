import { Ids, type Store } from "@tapedeck/core"
import { type Recording, RecordingId, RecordingUuid, SessionId, type WholeRecording } from "@tapedeck/domain"
import { jobIds, type MediaJob, queueKeyOf, type TranscriptJob } from "@tapedeck/domain/internal/jobs"
import type { Session } from "@tapedeck/domain/internal/people"
import { noHelpdesk, putTogether, takenApart } from "@tapedeck/domain/internal/recordings"
import { Clock, Effect } from "effect"
import { vaultOf } from "./openStore.ts"
import { acme, aDelivery, aDestination, ada, aFolder, anAutomation, aToken, start } from "./samples.ts"

export const vault = vaultOf(7)

const uuid = RecordingUuid.make("00000000-0000-4000-8000-000000000001")

export const recording: Recording = {
  id: RecordingId.make(1),
  uuid,
  accountId: acme.id,
  ownerId: ada.id,
  title: "Ünïcode 🎥",
  summary: null,
  description: null,
  createdAt: start,
  updatedAt: start,
  durationSeconds: 14,
  impressionsCount: 3,
  type: "Received",
  source: null,
  helpdesk: { ...noHelpdesk, platform: "zendesk", ticketId: "4711" },
  technicalDetails: { vendor: null, ipAddress: null, timezone: null, networkType: null, isp: null },
  consoleLogs: null,
  browser: "Firefox",
  os: null,
  customerEmail: null,
  roomInsights: null,
  v1Platform: null,
  folderId: aFolder("folder").id,
  video: { original: null, processed: null, edited: null },
  transcript: null
}

/** With all of its parts, in as many segments as are in three rows. */
const whole: WholeRecording = {
  ...recording,
  id: RecordingId.make(2),
  uuid: RecordingUuid.make("00000000-0000-4000-8000-000000000002"),
  impressionsCount: 0,
  consoleErrors: [{ message: "no\u0000", line: [1.5, null] }],
  networkErrors: [],
  transcript: {
    status: "ready",
    language: "en",
    speakerMap: { "0": "Ada" },
    edited: [{ startSeconds: 0, endSeconds: null, text: "Edited \ud800", sentences: [] }],
    processed: Array.from({ length: 250 }, (_, n) => ({
      startSeconds: n,
      endSeconds: n + 1,
      text: `Segment ${n}`,
      sentences: []
    })),
    legacyText: "Legacy"
  }
}

/** A recording with its parts, read a page at a time. */
const readWhole = Effect.fnUntraced(function* (store: Store) {
  const found = yield* store.recordings.byId(whole.id)
  const parts = store.recordingParts
  const page = (offset: number) => parts.segments(whole.id, "processed", { offset, limit: 100 })
  return (
    found &&
    putTogether(found, {
      ...(yield* parts.read(whole.id, "consoleErrors", "networkErrors", "speakerMap", "legacyText", "log")),
      edited: yield* parts.segments(whole.id, "edited", { offset: 0, limit: 100 }),
      processed: [...(yield* page(0)), ...(yield* page(100)), ...(yield* page(200))]
    })
  )
})

export const attempt = {
  attempt: 1,
  at: start,
  elapsedMs: 0,
  endedAt: start,
  outcome: "failure",
  statusCode: 500,
  request: { method: "POST", url: "https://receiver.test/hook", headers: [["x", "y"]] },
  response: { headers: [], body: "no", truncated: false },
  error: null
} as const

const delivered = { _tag: "Delivered", at: start } as const
const waiting = { _tag: "Waiting", retry: 1, dueAt: start, firstAttemptAt: start } as const

/** With a clock that stands still: the same deliveries are due in every run. */
const atStart = Effect.updateService(Clock.Clock, (clock) =>
  Object.assign(Object.create(clock) as Clock.Clock, {
    currentTimeMillis: Effect.succeed(Number(start)),
    currentTimeMillisUnsafe: () => Number(start)
  })
)

/** Writes one of everything that a store holds, except files. */
export const writeContent = (store: Store) =>
  Effect.gen(function* () {
    yield* store.jobs.enqueue(mediaJob)
    yield* writeSignIn(store)
    yield* store.accounts.save(acme)
    yield* store.users.save(ada)
    yield* store.tokens.save(aToken(vault.hash("token text"), yield* vault.seal("token text")))
    yield* store.folders.save(aFolder("folder"))
    yield* store.automations.save(anAutomation({ headers: { "X-Api-Key": "k" } }))
    yield* store.destinations.save(aDestination({ secret: "s" }))
    yield* store.recordings.save(recording)
    yield* store.auditEntries.append({
      id: (yield* store.nextNumber("audit_entry")) as never,
      accountId: acme.id,
      eventType: "recording.updated",
      status: "success",
      at: start,
      userId: ada.id,
      ipAddress: null,
      userAgent: null,
      metadata: { targetType: "recording", targetId: uuid, changes: {} }
    })
    yield* store.deliveries.insert(aDelivery("delivered"))
    const [one] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
    yield* store.deliveries.settle(one!, () => ({ ...one!.delivery, state: delivered, attempts: [attempt] }))
    yield* store.deliveries.insert(aDelivery("in flight"))
    yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
    yield* store.deliveries.insert(aDelivery("tried"))
    const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs: 1_000 })
    yield* store.deliveries.settle(claim!, () => ({ ...claim!.delivery, state: waiting, attempts: [attempt] }))
    yield* store.deliveries.insert(aDelivery("scheduled"))
    yield* store.jobs.enqueue(aStep)
    yield* store.rateWindows.count(aToken("", "").id, start, 1_000)
    const split = takenApart(whole)
    yield* store.recordings.save(split.recording)
    yield* store.recordingParts.save(split.recording.id, split.parts)
  }).pipe(atStart, Effect.provide(Ids.layerRandom))

const all = { offset: 0, limit: 100 }

/** A session, a password, a link for another password, and one try. */
const writeSignIn = Effect.fnUntraced(function* (store: Store) {
  yield* store.sessions.save(session)
  yield* store.passwords.save({ userId: ada.id, sealed: yield* vault.seal("password hash"), changedAt: start })
  yield* store.signInLinks.replace({
    hash: vault.hash("link text"),
    userId: ada.id,
    purpose: "password",
    createdAt: start,
    expiresAt: start
  })
  yield* store.tryWindows.count({ key: "try", tries: 1, endsAt: start }, start)
})

export const session: Session = {
  id: SessionId.make("session"),
  userId: ada.id,
  hash: vault.hash("session text"),
  method: "password",
  createdAt: start,
  seenAt: start,
  expiresAt: start,
  ipAddress: null,
  userAgent: null
}

const readSignIn = Effect.fnUntraced(function* (store: Store) {
  const password = yield* store.passwords.ofUser(ada.id)
  return {
    holder: yield* store.sessions.holder(session.hash),
    sessions: yield* store.sessions.ofUser(ada.id),
    password: password && (yield* vault.open(password.sealed)),
    link: yield* store.signInLinks.byHash(vault.hash("link text")),
    window: yield* store.tryWindows.byKey("try")
  }
})

const aStep: TranscriptJob = {
  kind: "transcript",
  id: jobIds.transcript(uuid, 0),
  queueKey: queueKeyOf("transcript", acme.id),
  recordingUuid: uuid,
  status: "ready",
  failedTries: 0,
  dueAt: start
}

const mediaJob: MediaJob = {
  kind: "process",
  id: jobIds.media("process", uuid),
  recordingUuid: uuid,
  fileId: "file",
  queueKey: queueKeyOf("process", acme.id, "site"),
  maxSeconds: 1_860,
  failedTries: 2,
  dueAt: start
}

/** Reads all of it. */
export const readContent = (store: Store) =>
  Effect.gen(function* () {
    const holder = yield* store.tokens.holder(vault.hash("token text"))
    return {
      holder: holder && { ...holder, token: yield* vault.open(holder.token.sealed) },
      users: yield* store.users.page({ accountId: acme.id }, all),
      folders: yield* store.folders.list(acme.id),
      automations: yield* store.automations.ofAccount(acme.id),
      destinations: yield* store.destinations.ofAccount(acme.id),
      whole: yield* readWhole(store),
      recordings: yield* store.recordings.page({ accountId: acme.id }, all),
      byTicket: yield* store.recordings.page({ accountId: acme.id, ticket: { ticketId: "4711" } }, all),
      inFolder: yield* store.recordings.page({ accountId: acme.id, folderId: aFolder("folder").id }, all),
      auditEntries: yield* store.auditEntries.page({ accountId: acme.id }, all),
      deliveries: yield* store.deliveries.list({}),
      agenda: yield* store.agenda.list,
      window: yield* store.rateWindows.byToken(aToken("", "").id),
      jobs: yield* store.jobs.byIds([mediaJob.id, aStep.id]),
      signIn: yield* readSignIn(store),
      claimed: yield* store.deliveries.claim({ limit: 9, leaseMs: 1_000 }),
      claimedJobs: (yield* store.jobs.claim({ slots: { media: 9, step: 9 }, leaseMs: 1_000 })).map(({ job }) => job),
      next: yield* store.nextNumber("recording")
    }
  }).pipe(atStart)
