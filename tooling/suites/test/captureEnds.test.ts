import {
  CaptureSessions,
  CaptureStarts,
  CaptureUploads,
  emptyWorld,
  makeMemoryStore,
  RecordingSettings,
  type Store
} from "@tapedeck/core"
import { CaptureInput } from "@tapedeck/domain/input"
import { onTrial, type StoreBackend, type Trial } from "@tapedeck/testkit"
import { instantAfter } from "@tapedeck/testkit/samples"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { afterAll, describe, expect, test } from "vitest"
import {
  account,
  begin,
  begun,
  caller,
  film,
  idleMs,
  mark,
  minuteMs,
  noTexts,
  process,
  recordingOf,
  runDue,
  watched
} from "../src/support/captureProcess.ts"
import { header, lines } from "../src/support/captures.ts"
import { inputOf } from "../src/support/inputOf.ts"
import { webm } from "../src/support/webm.ts"
import { emptyPostgres, stopPostgres } from "./conformance/postgres.ts"
import { emptySqlite } from "./conformance/sqlite.ts"
import { type Cluster, twoNodes } from "./postgres/nodes.ts"

afterAll(stopPostgres)

const backends: ReadonlyArray<StoreBackend> = [
  { name: "in memory", open: Effect.sync(() => makeMemoryStore(emptyWorld())) },
  { name: "on SQLite", open: emptySqlite },
  { name: "on PostgreSQL", open: emptyPostgres, isShared: true }
]

describe.each(backends)("the end of a capture, $name", (backend) => {
  const on = <A, E>(body: (trial: Trial) => Effect.Effect<A, E, never>) =>
    Effect.runPromise(Effect.orDie(onTrial(backend, body)))

  test("of 20 ends at once the first joins, and the others answer the same while it does", () =>
    on(({ store: plain }) =>
      Effect.gen(function* () {
        const othersAnswered = yield* Deferred.make<void>()
        const { counts, store } = watched(plain, () => Deferred.await(othersAnswered))
        yield* Effect.gen(function* () {
          const { finish } = yield* CaptureSessions
          const capture = yield* begun(store)
          yield* film(capture, [webm(1_000)])
          counts.writes = 0
          const answered = { count: 0 }
          const one = Effect.tap(finish(capture.id, noTexts), () => {
            answered.count += 1
            return answered.count === 19 ? Deferred.succeed(othersAnswered, undefined) : Effect.void
          })
          const answers = yield* Effect.all(
            Array.from({ length: 20 }, () => one),
            { concurrency: "unbounded" }
          )
          expect(counts).toEqual({ reads: 1, writes: 1 })
          expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([capture.id]))
          expect(yield* recordingOf(store, capture)).toMatchObject({ video: { original: { sizeBytes: 1_000 } } })
          expect((yield* store.captures.byId(capture.id))?.state).toBe("finished")
        }).pipe(Effect.provide(process(store)))
      })
    ))

  test("goes to another process when the lease has ended, and the first one writes nothing then", () =>
    on(({ setTime, store: plain }) =>
      Effect.gen(function* () {
        const isHeld = yield* Deferred.make<void>()
        const open = yield* Deferred.make<void>()
        const { store: slow } = watched(plain, () =>
          Effect.andThen(Deferred.succeed(isHeld, undefined), Deferred.await(open))
        )
        const { counts, store } = watched(plain)
        const capture = yield* Effect.gen(function* () {
          const capture = yield* begun(plain)
          yield* film(capture, [webm(1_000)])
          return capture
        }).pipe(Effect.provide(process(plain)))
        const finish = CaptureSessions.use((of) => of.finish(capture.id, noTexts)).pipe(Effect.provide(process(slow)))
        const first = yield* Effect.forkChild(finish, { startImmediately: true })
        yield* Deferred.await(isHeld)
        const keeper = runDue.pipe(Effect.provide(process(store)))
        yield* setTime(instantAfter(minuteMs - 1))
        yield* keeper
        expect(counts.reads).toBe(0)
        yield* setTime(instantAfter(minuteMs))
        yield* keeper
        const completed = yield* recordingOf(plain, capture)
        expect(completed).toMatchObject({ folderId: "vip", video: { original: { sizeBytes: 1_000 } } })
        yield* Deferred.succeed(open, undefined)
        expect((yield* Fiber.join(first)).state).toBe("finished")
        expect(yield* recordingOf(plain, capture)).toEqual(completed)
      })
    ))

  test("is left to the process that claimed it last, also while that one joins", () =>
    on(({ setTime, store: plain }) =>
      Effect.gen(function* () {
        const held = Effect.gen(function* () {
          const [isHeld, open] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const { store } = watched(plain, () =>
            Effect.andThen(Deferred.succeed(isHeld, undefined), Deferred.await(open))
          )
          return { isHeld, open, store }
        })
        const [one, other] = [yield* held, yield* held]
        const capture = yield* Effect.gen(function* () {
          const capture = yield* begun(plain)
          yield* film(capture, [webm(1_000)])
          return capture
        }).pipe(Effect.provide(process(plain)))
        const finish = CaptureSessions.use((of) => of.finish(capture.id, noTexts)).pipe(
          Effect.provide(process(one.store))
        )
        const first = yield* Effect.forkChild(finish, { startImmediately: true })
        yield* Deferred.await(one.isHeld)
        yield* setTime(instantAfter(minuteMs))
        const keeper = runDue.pipe(Effect.provide(process(other.store)))
        const second = yield* Effect.forkChild(keeper, { startImmediately: true })
        yield* Deferred.await(other.isHeld)
        yield* Deferred.succeed(one.open, undefined)
        yield* Fiber.join(first)
        expect((yield* plain.captures.byId(capture.id))?.state).toBe("finishing")
        yield* Deferred.succeed(other.open, undefined)
        yield* Fiber.join(second)
        expect(yield* recordingOf(plain, capture)).toMatchObject({ video: { original: { sizeBytes: 1_000 } } })
      })
    ))

  test("keeps its claim as long as it goes on", () =>
    on(({ setTime, store: plain }) =>
      Effect.gen(function* () {
        const { counts: others, store: other } = watched(plain)
        const keeper = runDue.pipe(Effect.provide(process(other)))
        const { counts, store } = watched(plain, (read) =>
          Effect.andThen(setTime(instantAfter(read * 25_000)), keeper).pipe(Effect.orDie)
        )
        yield* Effect.gen(function* () {
          const capture = yield* begun(plain)
          yield* film(capture, [webm(100), webm(100), webm(100), webm(100)])
          yield* CaptureSessions.use((of) => of.finish(capture.id, noTexts))
          expect([counts.reads, others.reads]).toEqual([4, 0])
          expect(yield* recordingOf(plain, capture)).toMatchObject({ video: { original: { sizeBytes: 400 } } })
        }).pipe(Effect.provide(process(store)))
      })
    ))

  test("is repeated at once by the next request after a try that failed, else a minute later", () =>
    on(({ setTime, store: plain }) =>
      Effect.gen(function* () {
        const { counts, store } = watched(plain, (read) =>
          read <= 2 ? Effect.die(new Error("disk failed")) : Effect.void
        )
        yield* Effect.gen(function* () {
          const { finish } = yield* CaptureSessions
          const [one, other] = [yield* begun(plain), yield* begin]
          yield* film(one, [webm(100)])
          yield* film(other, [webm(100)])
          for (const { id } of [one, other]) expect((yield* Effect.exit(finish(id, noTexts)))._tag).toBe("Failure")
          yield* finish(one.id, noTexts)
          expect(yield* recordingOf(plain, one)).toMatchObject({ video: { original: { sizeBytes: 100 } } })
          yield* setTime(instantAfter(minuteMs - 1))
          yield* runDue
          expect(counts.reads).toBe(3)
          yield* setTime(instantAfter(minuteMs))
          yield* runDue
          expect(yield* recordingOf(plain, other)).toMatchObject({ video: { original: { sizeBytes: 100 } } })
        }).pipe(Effect.provide(process(store)))
      })
    ))

  test("comes with the deletion of its recording: it takes no more, and its pieces go", () =>
    on(({ setTime, store }) =>
      Effect.gen(function* () {
        const { append } = yield* CaptureUploads
        const { finish } = yield* CaptureSessions
        const { remove } = yield* RecordingSettings
        const [open, ended] = [yield* begun(store), yield* begin]
        const uploadId = yield* film(open, [webm(1_000)])
        const [piece] = yield* store.captures.pieces(open.id, "video")
        yield* finish(ended.id, noTexts)
        for (const { recordingUuid } of [open, ended]) yield* remove(caller, recordingUuid)
        const more = append({ captureId: open.id, uploadId, offset: 1_000, bytes: Stream.make(webm(100)) })
        expect(yield* Effect.flip(more)).toMatchObject({ _tag: "CaptureRefused" })
        expect(yield* store.files.read(piece!.fileId, 0, 1)).toBeUndefined()
        yield* setTime(instantAfter(idleMs))
        yield* runDue
        for (const { id } of [open, ended]) expect(yield* store.captures.byId(id)).toBeUndefined()
      }).pipe(Effect.provide(process(store)))
    ))

  test("writes nothing for a recording that was deleted while it was joined", () =>
    on(({ store: plain }) =>
      Effect.gen(function* () {
        const capture = yield* begun(plain).pipe(Effect.provide(process(plain)))
        const deletion = RecordingSettings.use((of) => of.remove(caller, capture.recordingUuid))
        const { store } = watched(plain, () => deletion.pipe(Effect.provide(process(plain)), Effect.orDie))
        yield* Effect.gen(function* () {
          yield* film(capture, [webm(1_000)])
          const end = CaptureSessions.use((of) => of.finish(capture.id, noTexts))
          expect(yield* Effect.flip(end)).toMatchObject({ _tag: "CaptureRefused" })
          expect(yield* recordingOf(plain, capture)).toBeUndefined()
        }).pipe(Effect.provide(process(store)))
      })
    ))

  test("joins the rest where a piece is missing, and says how much was lost", () =>
    on(({ store }) =>
      Effect.gen(function* () {
        const { finish } = yield* CaptureSessions
        const [some, all] = [yield* begun(store), yield* begin]
        yield* film(some, [webm(1_000), webm(200), webm(30)])
        yield* film(all, [webm(1_000)])
        const pieces = yield* store.captures.pieces(some.id, "video")
        const [only] = yield* store.captures.pieces(all.id, "video")
        for (const { fileId } of [pieces[1]!, only!]) yield* store.files.remove(fileId)
        for (const { id } of [some, all]) yield* finish(id, noTexts)
        expect(yield* recordingOf(store, some)).toMatchObject({ video: { original: { sizeBytes: 1_030 } } })
        expect(yield* recordingOf(store, all)).toMatchObject({
          video: { original: null },
          work: { process: { state: "given_up", problem: "the bytes of its video are lost" } }
        })
        const entries = yield* store.auditEntries.page(
          { accountId: account.id, eventTypes: ["recording.updated"] },
          { offset: 0, limit: 10 }
        )
        expect(entries.items.map(({ metadata, status }) => [status, metadata.changes])).toEqual([
          ["failure", { lost_video_bytes: { from: null, to: 1_000 } }],
          ["failure", { lost_video_bytes: { from: null, to: 200 } }]
        ])
      }).pipe(Effect.provide(process(store)))
    ))

  test("gives up a piece that cannot be read at the fifth try, and joins the rest", () =>
    on(({ setTime, store: plain }) =>
      Effect.gen(function* () {
        const broken = { fileId: "" }
        const files: Store["files"] = {
          ...plain.files,
          read: (id, ...range) =>
            id === broken.fileId
              ? Effect.succeed(Stream.die(new Error("input/output error")))
              : plain.files.read(id, ...range)
        }
        const store = { ...plain, files }
        yield* Effect.gen(function* () {
          const capture = yield* begun(store)
          yield* film(capture, [webm(1_000), webm(200)])
          broken.fileId = (yield* store.captures.pieces(capture.id, "video"))[1]!.fileId
          yield* Effect.exit(CaptureSessions.use((of) => of.finish(capture.id, noTexts)))
          for (const tries of [1, 2, 3, 4]) {
            expect((yield* store.captures.byId(capture.id))?.state).toBe("finishing")
            yield* setTime(instantAfter(tries * minuteMs))
            yield* runDue
          }
          expect(yield* recordingOf(store, capture)).toMatchObject({ video: { original: { sizeBytes: 1_000 } } })
        }).pipe(Effect.provide(process(store)))
      })
    ))

  test("of one capture that fails delays no other", () =>
    on(({ setTime, store }) =>
      Effect.gen(function* () {
        const { appendLog } = yield* CaptureUploads
        const [odd, other] = [yield* begun(store), yield* begin]
        for (const { id } of [odd, other]) yield* appendLog(id, "main", lines(header, mark))
        const broken = { kind: "log", sequence: 2, stream: "main", lines: "none" } as const
        yield* store.captures.addPiece(odd.id, broken)
        yield* setTime(instantAfter(idleMs))
        yield* runDue
        expect((yield* store.captures.byId(odd.id))?.state).toBe("abandoning")
        expect((yield* store.captures.byId(other.id))?.state).toBe("abandoned")
        yield* store.captures.removePieces(odd.id)
        yield* setTime(instantAfter(idleMs + minuteMs))
        yield* runDue
        expect((yield* store.captures.byId(odd.id))?.state).toBe("abandoned")
      }).pipe(Effect.provide(process(store)))
    ))

  test("an upload is removed with its pieces, or not at all", () =>
    on(({ store: plain }) =>
      Effect.gen(function* () {
        const full = { isFull: true }
        const captures: Store["captures"] = {
          ...plain.captures,
          removePiecesOf: (...which) =>
            full.isFull ? Effect.die(new Error("disk is full")) : plain.captures.removePiecesOf(...which)
        }
        const store = { ...plain, captures }
        yield* Effect.gen(function* () {
          const { finish } = yield* CaptureSessions
          const { removeUpload } = yield* CaptureUploads
          const capture = yield* begun(store)
          const uploadId = yield* film(capture, [webm(1_000)])
          expect((yield* Effect.exit(removeUpload(capture.id, uploadId)))._tag).toBe("Failure")
          expect((yield* store.captures.byId(capture.id))?.uploads).toHaveLength(1)
          full.isFull = false
          const [piece] = yield* store.captures.pieces(capture.id, "video")
          yield* removeUpload(capture.id, uploadId)
          expect(yield* store.captures.byId(capture.id)).toMatchObject({ uploads: [], receivedBytes: 0 })
          expect(yield* store.captures.pieces(capture.id, "video")).toEqual([])
          expect(yield* store.files.read(piece!.fileId, 0, 1)).toBeUndefined()
          yield* finish(capture.id, noTexts)
          expect(yield* recordingOf(store, capture)).toMatchObject({ video: { original: null } })
        }).pipe(Effect.provide(process(store)))
      })
    ))

  test("takes 1,000 pieces of video and 3 for each second, and refuses the next with 413", () =>
    on(({ store }) =>
      Effect.gen(function* () {
        yield* begun(store)
        const { append, createUpload } = yield* CaptureUploads
        const { beginByAgent } = yield* CaptureStarts
        const { capture } = yield* beginByAgent(caller, inputOf(CaptureInput, { max_duration_seconds: 2 }))
        const file = { contentType: "video/webm", metadata: "", part: 0, sizeBytes: null }
        const { id: uploadId } = yield* createUpload(capture.id, file)
        const now = yield* store.captures.byId(capture.id)
        yield* store.captures.save({ ...now!, videoPieces: 1_005 })
        const send = (offset: number) =>
          append({ captureId: capture.id, uploadId, offset, bytes: Stream.make(webm(100)) })
        expect(yield* send(0)).toBe(100)
        const refusal = yield* Effect.flip(send(100))
        expect(refusal).toMatchObject({ _tag: "TooManyPieces", limit: 1_006 })
        expect(yield* store.captures.pieces(capture.id, "video")).toHaveLength(1)
      }).pipe(Effect.provide(process(store)))
    ))
})

describe("the end of a capture, of two processes on PostgreSQL", () => {
  const onBoth = <A, E>(body: (cluster: Cluster) => Effect.Effect<A, E>) => {
    const clock: StoreBackend = { name: "two nodes", open: Effect.sync(() => makeMemoryStore(emptyWorld())) }
    return Effect.runPromise(
      Effect.orDie(
        onTrial(clock, ({ setTime }) =>
          Effect.scoped(
            Effect.flatMap(twoNodes, (nodes) =>
              body({ ...nodes, setTime: (at) => Effect.andThen(setTime(at), nodes.setTime(at)) })
            )
          )
        )
      )
    )
  }

  test("of 16 ends of each process at once one joins, and each answers the same", () =>
    onBoth(({ nodes }) =>
      Effect.gen(function* () {
        const [one, other] = [watched(nodes[0]), watched(nodes[1])]
        const capture = yield* Effect.gen(function* () {
          const capture = yield* begun(nodes[0])
          yield* film(capture, [webm(1_000), webm(1_000)])
          return capture
        }).pipe(Effect.provide(process(nodes[0])))
        const ends = ({ store }: typeof one) =>
          CaptureSessions.use(({ finish }) =>
            Effect.all(
              Array.from({ length: 16 }, () => finish(capture.id, noTexts)),
              { concurrency: "unbounded" }
            )
          ).pipe(Effect.provide(process(store)))
        const answers = yield* Effect.all([ends(one), ends(other)], { concurrency: "unbounded" })
        expect(answers.flat().map(({ id }) => id)).toEqual(Array.from({ length: 32 }, () => capture.id))
        expect(one.counts.writes + other.counts.writes).toBe(1)
        expect(one.counts.reads + other.counts.reads).toBe(2)
        expect(yield* recordingOf(nodes[0], capture)).toMatchObject({ video: { original: { sizeBytes: 2_000 } } })
      })
    ))

  test("each process's keeper at once completes each due capture once", () =>
    onBoth(({ nodes, setTime }) =>
      Effect.gen(function* () {
        const [one, other] = [watched(nodes[0]), watched(nodes[1])]
        const captures = yield* Effect.gen(function* () {
          const captures = [yield* begun(nodes[0]), yield* begin, yield* begin]
          for (const capture of captures) yield* film(capture, [webm(1_000)])
          return captures
        }).pipe(Effect.provide(process(nodes[0])))
        yield* setTime(instantAfter(idleMs))
        const keepers = [one, other].map(({ store }) => runDue.pipe(Effect.provide(process(store))))
        yield* Effect.all(keepers, { concurrency: "unbounded" })
        expect(one.counts.writes + other.counts.writes).toBe(3)
        for (const capture of captures) {
          expect((yield* nodes[0].captures.byId(capture.id))?.state).toBe("abandoned")
          expect(yield* recordingOf(nodes[0], capture)).toMatchObject({ video: { original: { sizeBytes: 1_000 } } })
        }
      })
    ))
})
