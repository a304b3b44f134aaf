import {
  type CaptureClaim,
  CaptureSessions,
  emptyWorld,
  type MediaClaim,
  MediaJobs,
  makeMemoryStore
} from "@tapedeck/core"
import { FolderId } from "@tapedeck/domain"
import { onTrial, type StoreBackend } from "@tapedeck/testkit"
import { anAutomation, instantAfter } from "@tapedeck/testkit/samples"
import { Effect } from "effect"
import { afterAll, describe, expect, test } from "vitest"
import { begun, film, idleMs, minuteMs, noTexts, process, recordingOf, runDue } from "../src/support/captureProcess.ts"
import { webm } from "../src/support/webm.ts"
import { emptyPostgres, stopPostgres } from "./conformance/postgres.ts"
import { emptySqlite } from "./conformance/sqlite.ts"

afterAll(stopPostgres)

const backends: ReadonlyArray<StoreBackend> = [
  { name: "in memory", open: Effect.sync(() => makeMemoryStore(emptyWorld())) },
  { name: "on SQLite", open: emptySqlite },
  { name: "on PostgreSQL", open: emptyPostgres, isShared: true }
]

describe.each(backends)("the end of the work on a captured video, $name", (backend) => {
  test("puts the recording into its folder once, also if processes die in between", () =>
    Effect.runPromise(
      Effect.orDie(
        onTrial(backend, ({ reopen, setTime, store }) =>
          Effect.gen(function* () {
            const config = { mediaWork: { processes: true, transcripts: "none" } } as const
            const nothing = { durationSeconds: 9, processed: null, thumbnail: null }
            const capture = yield* Effect.gen(function* () {
              const capture = yield* begun(store)
              yield* store.automations.save(anAutomation("crm", { folderId: FolderId.make("vip") }))
              yield* film(capture, [webm(1_000)])
              yield* CaptureSessions.use((of) => of.finish(capture.id, noTexts))
              const [job] = yield* store.jobs.claim({ slots: { media: 1 }, leaseMs: minuteMs })
              yield* runDue
              expect((yield* recordingOf(store, capture))?.folderId).toBeNull()
              expect(yield* MediaJobs.use((of) => of.processed(job as MediaClaim, nothing))).toBe(true)
              return capture
            }).pipe(Effect.provide(process(store, config)))
            const after = reopen === undefined ? store : yield* reopen
            yield* Effect.gen(function* () {
              const [held] = yield* after.jobs.claim({ slots: { capture: 1 }, leaseMs: minuteMs })
              yield* runDue
              expect((yield* recordingOf(after, capture))?.folderId).toBeNull()
              yield* setTime(instantAfter(minuteMs))
              yield* runDue
              yield* CaptureSessions.use(({ runJob }) => runJob(held as CaptureClaim))
              yield* setTime(instantAfter(2 * idleMs))
              yield* runDue
              expect(yield* recordingOf(after, capture)).toMatchObject({ folderId: "vip", durationSeconds: 9 })
              expect(yield* after.deliveries.list({})).toHaveLength(1)
            }).pipe(Effect.provide(process(after, config)))
          })
        )
      )
    ))
})
