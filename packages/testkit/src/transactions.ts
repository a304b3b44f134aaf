import type { Store } from "@tapedeck/core"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { observe } from "./observe.ts"
import {
  aDelivery,
  aDestination,
  aFolder,
  anAccount,
  anAuditEntry,
  anAutomation,
  aRecording,
  aStep,
  aToken,
  aUser,
  fullParts,
  fullRecording,
  instantAfter,
  startInstant,
  uuidOf
} from "./samples.ts"

/** Writes a record of each kind, new or changed. */
export const writeEverything = (store: Store) =>
  Effect.gen(function* () {
    yield* store.accounts.save(anAccount(1, { name: "Written" }))
    yield* store.users.save(aUser(11, { email: "written@acme.test" }))
    yield* store.tokens.save(aToken("t1", 11, { revokedAt: startInstant }))
    const { transcript } = fullRecording(1)
    yield* store.recordings.save(aRecording(1, { title: "Written", createdAt: instantAfter(5), transcript }))
    yield* store.recordings.save(aRecording(2))
    yield* store.recordingParts.save(aRecording(1).id, fullParts)
    yield* store.folders.save(aFolder("written"))
    yield* store.automations.save(anAutomation("written"))
    yield* store.destinations.save(aDestination("written"))
    yield* store.auditEntries.append(anAuditEntry(1))
    yield* store.deliveries.insert(aDelivery("written"))
    yield* store.deliveries.claim({ limit: 10, leaseMs: 1_000 })
    yield* store.jobs.enqueue(aStep(1, 1))
    yield* store.files.save("written", { kind: "made_up", sizeBytes: 3 })
    yield* store.rateWindows.count(aToken("t1", 11).id, startInstant, 1_000)
  })

/** Writes the initial records, some of which `writeEverything` changes. */
export const seed = (store: Store) =>
  Effect.gen(function* () {
    yield* store.accounts.save(anAccount(1))
    yield* store.users.save(aUser(11))
    yield* store.tokens.save(aToken("t1", 11))
    yield* store.recordings.save(aRecording(1))
    yield* store.deliveries.insert(aDelivery("seeded"))
  })

const recordingOf = (store: Store) => store.recordings.byUuid(uuidOf(1))

/** Reads the duration of a recording, lets other fibers run, and writes one more second. */
const addSecond = (store: Store) =>
  store.transaction(
    Effect.gen(function* () {
      const recording = (yield* recordingOf(store))!
      yield* Effect.yieldNow
      yield* store.recordings.save({ ...recording, durationSeconds: (recording.durationSeconds ?? 0) + 1 })
    })
  )

export const transactions = (promised: Promised): void => {
  describe("a transaction", () => {
    promised("commits all writes of its body, and returns its result", ({ store }) =>
      Effect.gen(function* () {
        yield* seed(store)
        expect(yield* store.transaction(Effect.as(writeEverything(store), "given"))).toBe("given")
        expect((yield* recordingOf(store))?.title).toBe("Written")
        expect(yield* store.deliveries.list({})).toHaveLength(2)
        expect(yield* store.users.byEmail("written@acme.test")).toEqual(aUser(11, { email: "written@acme.test" }))
      })
    )

    promised("shows its own writes to its body", ({ store }) =>
      store.transaction(
        Effect.gen(function* () {
          yield* writeEverything(store)
          expect((yield* recordingOf(store))?.title).toBe("Written")
          expect((yield* store.recordings.page({ accountId: anAccount(1).id }, { offset: 0, limit: 9 })).count).toBe(2)
          expect(yield* store.agenda.list).toHaveLength(2)
        })
      )
    )

    for (const [how, end] of [
      ["fails", Effect.fail("no")],
      ["dies", Effect.die(new Error("a defect"))],
      ["is interrupted by itself", Effect.interrupt]
    ] as const) {
      promised(`commits nothing of a body that ${how}, and ends in the same way`, ({ store }) =>
        Effect.gen(function* () {
          yield* seed(store)
          const before = yield* observe(store)
          const exit = yield* Effect.exit(store.transaction(Effect.andThen(writeEverything(store), end)))
          expect(exit).toEqual(yield* Effect.exit(end))
          expect(yield* observe(store)).toEqual(before)
        })
      )
    }

    promised("commits nothing of an interrupted body, and blocks no other transaction", ({ store }) =>
      Effect.gen(function* () {
        yield* seed(store)
        const before = yield* observe(store)
        const written = yield* Deferred.make<void>()
        const body = writeEverything(store).pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(Effect.never)
        )
        const fiber = yield* Effect.forkChild(store.transaction(body))
        yield* Deferred.await(written)
        yield* Fiber.interrupt(fiber)
        expect(yield* observe(store)).toEqual(before)
        yield* addSecond(store)
        expect((yield* recordingOf(store))?.durationSeconds).toBe(1)
      })
    )

    promised("within another is part of it: if the outer one fails, it is rolled back too", ({ store }) =>
      Effect.gen(function* () {
        yield* seed(store)
        const before = yield* observe(store)
        const inner = store.transaction(writeEverything(store))
        const failed = yield* Effect.exit(store.transaction(Effect.andThen(inner, Effect.fail("no"))))
        expect(Exit.isFailure(failed)).toBe(true)
        expect(yield* observe(store)).toEqual(before)
        yield* store.transaction(store.transaction(store.transaction(writeEverything(store))))
        expect((yield* recordingOf(store))?.title).toBe("Written")
      })
    )

    promised("shows uncommitted writes to no other reader", ({ store }) =>
      Effect.gen(function* () {
        yield* seed(store)
        const written = yield* Deferred.make<void>()
        const body = Effect.gen(function* () {
          yield* writeEverything(store)
          yield* Deferred.succeed(written, undefined)
          for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
          return yield* Effect.fail("no")
        })
        const fiber = yield* Effect.forkChild(Effect.exit(store.transaction(body)))
        yield* Deferred.await(written)
        expect((yield* recordingOf(store))?.title).toBe("Recording 1")
        expect(yield* store.folders.byId(aFolder("written").id)).toBeUndefined()
        yield* Fiber.join(fiber)
      })
    )

    promised("loses no update of a concurrent transaction", ({ store }) =>
      Effect.gen(function* () {
        yield* seed(store)
        yield* Effect.all(
          Array.from({ length: 20 }, () => addSecond(store)),
          { concurrency: "unbounded", discard: true }
        )
        expect((yield* recordingOf(store))?.durationSeconds).toBe(20)
      })
    )
  })

  describe("a call outside of any transaction", () => {
    promised("runs in a transaction of its own", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(1))
        yield* Effect.exit(store.transaction(Effect.fail("later")))
        expect(yield* recordingOf(store)).toEqual(aRecording(1))
      })
    )
  })
}
