import {
  CaptureLogs,
  CaptureSessions,
  emptyWorld,
  type MediaClaim,
  MediaJobs,
  makeMemoryStore,
  type NotFound,
  RecordingContent,
  RecordingSettings,
  SharingSettings,
  TranscriptSettings,
  type Unauthenticated,
  type UploadRefusal,
  VideoUploads
} from "@tapedeck/core"
import type { Recording, RecordingUuid } from "@tapedeck/domain"
import type { LogUnreadable } from "@tapedeck/domain/capture"
import { decodedAs, FinishInput } from "@tapedeck/domain/input"
import { jobIds, MediaJobKind } from "@tapedeck/domain/internal/jobs"
import { onTrial, type StoreBackend, type Trial } from "@tapedeck/testkit"
import { instantAfter } from "@tapedeck/testkit/samples"
import { Effect, Stream } from "effect"
import { afterAll, describe, expect, test } from "vitest"
import {
  account,
  begin,
  begun,
  caller,
  film,
  idleMs,
  mark,
  noTexts,
  process,
  recordingOf,
  runDue,
  type UseCases,
  user,
  watched
} from "../src/support/captureProcess.ts"
import { header, lines } from "../src/support/captures.ts"
import { inputOf } from "../src/support/inputOf.ts"
import { webm } from "../src/support/webm.ts"
import { emptyPostgres, stopPostgres } from "./conformance/postgres.ts"
import { emptySqlite } from "./conformance/sqlite.ts"

afterAll(stopPostgres)

/** A user's write to a recording, and where it is seen. */
const writes: Readonly<
  Record<
    string,
    {
      readonly write: (uuid: RecordingUuid) => Effect.Effect<unknown, Error, UseCases>
      readonly shows: (recording: Recording) => unknown
      readonly expected: unknown
    }
  >
> = {
  title: {
    write: (uuid) => RecordingContent.use((of) => of.update(caller, uuid, decodedAs({ title: "Of the agent" }))),
    shows: ({ title }) => title,
    expected: "Of the agent"
  },
  summary: {
    write: (uuid) => RecordingContent.use((of) => of.update(caller, uuid, decodedAs({ summary: "Of the agent" }))),
    shows: ({ summary }) => summary,
    expected: "Of the agent"
  },
  "console errors": {
    write: (uuid) => RecordingContent.use((of) => of.update(caller, uuid, decodedAs({ console_errors: ["boom"] }))),
    shows: ({ uuid }) => uuid.length,
    expected: 36
  },
  transcript: {
    write: (uuid) =>
      TranscriptSettings.use((of) => of.import(caller, uuid, { format: "text", text: "typed by an agent" })),
    shows: ({ transcript }) => transcript,
    expected: expect.objectContaining({ status: "ready", legacy: true })
  },
  folder: {
    write: (uuid) => RecordingSettings.use((of) => of.move(caller, uuid, decodedAs({ folder_id: "bugs" }))),
    shows: ({ folderId }) => folderId,
    expected: "bugs"
  },
  "way out of a folder": {
    write: (uuid) =>
      RecordingSettings.use((of) =>
        Effect.andThen(of.move(caller, uuid, decodedAs({ folder_id: "bugs" })), of.leave(caller, uuid))
      ),
    shows: ({ folderId }) => folderId,
    expected: null
  },
  sharing: {
    write: (uuid) => SharingSettings.use((of) => of.set(caller, uuid, decodedAs({ sharing: "account" }))),
    shows: ({ sharing }) => sharing,
    expected: "account"
  }
}

type Refusal = LogUnreadable | NotFound | Unauthenticated | UploadRefusal

const backends: ReadonlyArray<StoreBackend> = [
  { name: "in memory", open: Effect.sync(() => makeMemoryStore(emptyWorld())) },
  { name: "on SQLite", open: emptySqlite },
  { name: "on PostgreSQL", open: emptyPostgres, isShared: true }
]

describe.each(backends)("users write while a capture goes on, $name", (backend) => {
  const on = <A, E>(body: (trial: Trial) => Effect.Effect<A, E, never>) =>
    Effect.runPromise(Effect.orDie(onTrial(backend, body)))

  for (const [what, { expected, shows, write }] of Object.entries(writes)) {
    test(`leaves the ${what} that a user wrote while it was joined`, () =>
      on(({ store: plain }) =>
        Effect.gen(function* () {
          const capture = yield* begun(plain).pipe(Effect.provide(process(plain)))
          const { store } = watched(plain, () =>
            write(capture.recordingUuid).pipe(Effect.provide(process(plain)), Effect.orDie)
          )
          yield* Effect.gen(function* () {
            yield* film(capture, [webm(1_000)])
            yield* CaptureSessions.use((of) => of.finish(capture.id, noTexts))
            const after = yield* recordingOf(plain, capture)
            expect(shows(after!)).toEqual(expected)
            expect(after?.video.original).not.toBeNull()
          }).pipe(Effect.provide(process(store)))
        })
      ))

    test(`leaves the recording, without a video, where a user wrote its ${what} before it was discarded or abandoned`, () =>
      on(({ setTime, store }) =>
        Effect.gen(function* () {
          const { discard } = yield* CaptureSessions
          const [discarded, abandoned] = [yield* begun(store), yield* begin]
          for (const capture of [discarded, abandoned]) yield* write(capture.recordingUuid)
          yield* film(discarded, [webm(1_000)])
          const [piece] = yield* store.captures.pieces(discarded.id, "video")
          yield* discard(discarded.id)
          yield* setTime(instantAfter(idleMs))
          yield* runDue
          for (const capture of [discarded, abandoned]) {
            const after = yield* recordingOf(store, capture)
            expect(shows(after!)).toEqual(expected)
            expect(after?.video.original).toBeNull()
            expect(yield* store.captures.byId(capture.id)).toBeUndefined()
          }
          expect(yield* store.files.read(piece!.fileId, 0, 1)).toBeUndefined()
        }).pipe(Effect.provide(process(store)))
      ))
  }

  test("removes the recording of a discarded or abandoned capture to which only its link wrote", () =>
    on(({ setTime, store }) =>
      Effect.gen(function* () {
        const [discarded, abandoned] = [yield* begun(store), yield* begin]
        yield* CaptureSessions.use((of) => of.discard(discarded.id))
        yield* setTime(instantAfter(idleMs))
        yield* runDue
        for (const capture of [discarded, abandoned]) expect(yield* recordingOf(store, capture)).toBeUndefined()
      }).pipe(Effect.provide(process(store)))
    ))

  test("refuses a video and a log of a user before it with 409, and takes them afterwards", () =>
    on(({ store }) =>
      Effect.gen(function* () {
        const { admit, upload } = yield* VideoUploads
        const { import: bringIn } = yield* CaptureLogs
        const capture = yield* begun(store)
        const uuid = capture.recordingUuid
        const log = lines(header, { ...mark, text: "of an agent" })
        const tries = [
          upload(caller, uuid, { contentType: "video/webm", bytes: Stream.make(webm(500)) }),
          upload(caller, uuid, { contentType: "video/webm", bytes: Stream.make(webm(500)) }, "processed"),
          admit(caller, uuid, 1),
          bringIn(caller, uuid, log)
        ].map((one: Effect.Effect<unknown, Refusal>) => Effect.asVoid(one))
        for (const one of tries) {
          const refusal = yield* Effect.flip(one)
          expect(refusal.message).toMatch(/^The recording is being captured: its (video|log) can be replaced when/)
        }
        yield* film(capture, [webm(1_000)])
        yield* CaptureSessions.use((of) => of.finish(capture.id, noTexts))
        for (const one of tries) yield* one
        expect(yield* recordingOf(store, capture)).toMatchObject({ video: { original: { sizeBytes: 500 } } })
      }).pipe(Effect.provide(process(store)))
    ))

  test("fills what is empty, and replaces the title that the capture began with, in the audit log, and nothing that a user wrote", () =>
    on(({ store }) =>
      Effect.gen(function* () {
        const { finish } = yield* CaptureSessions
        const { update } = yield* RecordingContent
        const [free, written] = [yield* begun(store), yield* begin]
        yield* update(
          caller,
          written.recordingUuid,
          decodedAs({
            title: "Of the agent",
            description: "Of the agent",
            customer: { email: "kim@customer.test" }
          })
        )
        const said = inputOf(FinishInput, {
          title: "It fails",
          note: "see 0:10",
          customer: { email: "eve@other.test" }
        })
        for (const { id } of [free, written]) yield* finish(id, said)
        expect(yield* recordingOf(store, free)).toMatchObject({
          title: "It fails",
          description: "see 0:10",
          customerEmail: "eve@other.test"
        })
        expect(yield* recordingOf(store, written)).toMatchObject({
          title: "Of the agent",
          description: "Of the agent",
          customerEmail: "kim@customer.test"
        })
        const entries = yield* store.auditEntries.page(
          { accountId: account.id, eventTypes: ["recording.updated"] },
          { offset: 0, limit: 10 }
        )
        expect(entries.items.map(({ metadata, userId }) => [userId, metadata.changes.title])).toEqual([
          [null, { from: "Show us", to: "It fails" }],
          [user.id, { from: "Show us", to: "Of the agent" }]
        ])
      }).pipe(Effect.provide(process(store)))
    ))

  test("a transcript that a user brought before the video stays, and needs no other", () =>
    on(({ store }) =>
      Effect.gen(function* () {
        const { finish } = yield* CaptureSessions
        const { import: bringIn } = yield* TranscriptSettings
        const [own, none] = [yield* begun(store), yield* begin]
        yield* bringIn(caller, own.recordingUuid, { format: "text", text: "typed by an agent" })
        for (const capture of [own, none]) {
          yield* film(capture, [webm(1_000)])
          yield* finish(capture.id, noTexts)
        }
        const kinds = (uuid: RecordingUuid) =>
          Effect.map(store.jobs.byIds(MediaJobKind.literals.map((kind) => jobIds.media(kind, uuid))), (jobs) =>
            jobs.map(({ kind }) => kind)
          )
        expect(yield* kinds(own.recordingUuid)).toEqual(["process"])
        expect(yield* kinds(none.recordingUuid)).toEqual(["transcribe", "process"])
        expect((yield* recordingOf(store, own))?.transcript).toMatchObject({ status: "ready", legacy: true })
      }).pipe(Effect.provide(process(store, { mediaWork: { processes: true, transcripts: "transcriber" } })))
    ))

  test("a processed file that a user uploaded while the job ran stays", () =>
    on(({ store }) =>
      Effect.gen(function* () {
        const { upload } = yield* VideoUploads
        const { keepFile, processed } = yield* MediaJobs
        const capture = yield* begun(store)
        yield* film(capture, [webm(1_000)])
        yield* CaptureSessions.use((of) => of.finish(capture.id, noTexts))
        const [job] = yield* store.jobs.claim({ slots: { media: 1 }, leaseMs: 60_000 })
        yield* upload(
          caller,
          capture.recordingUuid,
          { contentType: "video/webm", bytes: Stream.make(webm(77)) },
          "processed"
        )
        const made = yield* keepFile("video/mp4", Stream.make(webm(88)))
        expect(yield* processed(job as MediaClaim, { durationSeconds: 9, processed: made, thumbnail: null })).toBe(true)
        expect(yield* recordingOf(store, capture)).toMatchObject({
          durationSeconds: 9,
          video: { processed: { sizeBytes: 77 } }
        })
        expect(yield* store.files.read(made.fileId, 0, 1)).toBeUndefined()
      }).pipe(Effect.provide(process(store, { mediaWork: { processes: true, transcripts: "none" } })))
    ))
})
