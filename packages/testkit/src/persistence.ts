import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Store } from "@tapedeck/core"
import { Effect, Exit, Stream } from "effect"
import { describe, expect } from "vitest"
import type { Promised, StoreBackend } from "./backend.ts"
import { observe } from "./observe.ts"
import { readAll } from "./readAll.ts"
import { aDelivery, anAccount, aRecording, aResult, aStep, aUser, delivered, instantAfter } from "./samples.ts"
import { seed, writeEverything } from "./transactions.ts"
import { anUpload } from "./uploads.ts"

/** Output of the process when it is in the middle of its transaction. */
const midway = "midway"

/** Commits a change, and then stays in the middle of a transaction until the process is killed. */
export const dieInTransaction = (store: Store): Effect.Effect<never> =>
  Effect.gen(function* () {
    yield* seed(store)
    const body = Effect.andThen(
      writeEverything(store),
      Effect.sync(() => process.stdout.write(`${midway}\n`))
    )
    return yield* store.transaction(Effect.andThen(body, Effect.never))
  })

/** Runs the process until it is in the middle of its transaction, and kills it. */
const killMidway = async (module: URL, place: string) => {
  const child = spawn(process.execPath, ["--conditions=source", fileURLToPath(module), place], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  const said = await Promise.race([once(child.stdout, "data"), ended.then(() => ["ended"])])
  child.kill("SIGKILL")
  await ended
  return String(said[0]).trim()
}

/** Registers the tests of a store that outlives its process. */
export const persistence = (promised: Promised, backend: StoreBackend): void => {
  describe("opened again", () => {
    promised(
      "contains everything that it contained, byte for byte",
      ({ reopen, setTime, store }) =>
        Effect.gen(function* () {
          yield* seed(store)
          yield* store.transaction(writeEverything(store))
          yield* store.files.save("bytes", { kind: "bytes", bytes: Uint8Array.of(0, 255, 7) })
          // Leases have ended, as they do when the process ends.
          yield* setTime(instantAfter(1_000))
          const before = yield* observe(store)
          const again = yield* reopen
          expect(yield* observe(again)).toEqual(before)
          expect(yield* readAll(again, "bytes", 10)).toEqual(Buffer.of(0, 255, 7))
        }),
      "reopen"
    )

    promised(
      "contains a user's picture that was uploaded as a stream",
      ({ reopen, store }) =>
        Effect.gen(function* () {
          yield* store.accounts.save(anAccount(1))
          const sizeBytes = yield* store.files.write("picture", Stream.make(Uint8Array.of(0xff, 0xd8, 0xff)))
          const picture = { fileId: "picture", contentType: "image/jpeg", sizeBytes, etag: "e" } as const
          const user = aUser(11, { hasProfilePicture: true, picture })
          yield* store.users.save(user)
          yield* store.files.write("loose", Stream.make(Uint8Array.of(1)))
          const again = yield* reopen
          expect(yield* again.users.byId(user.id)).toEqual(user)
          expect(yield* readAll(again, "picture", 10)).toEqual(Buffer.of(0xff, 0xd8, 0xff))
        }),
      "reopen"
    )

    promised(
      "returns no number twice",
      ({ reopen, store }) =>
        Effect.gen(function* () {
          yield* store.accounts.save(anAccount(3))
          expect(yield* store.nextNumber("account")).toBe(4)
          const again = yield* reopen
          expect(yield* again.nextNumber("account")).toBe(5)
        }),
      "reopen"
    )

    promised(
      "returns earlier agenda entries first on ties",
      ({ reopen, store }) =>
        Effect.gen(function* () {
          yield* Effect.forEach(["b", "a"], (id) => store.deliveries.insert(aDelivery(id)))
          const again = yield* reopen
          yield* Effect.forEach(["d", "c"], (id) => again.deliveries.insert(aDelivery(id)))
          const claims = yield* again.deliveries.claim({ limit: 9, leaseMs: 1_000 })
          expect(claims.map(({ delivery }) => String(delivery.id))).toEqual(["b", "a", "d", "c"])
        }),
      "reopen"
    )

    if (backend.isShared !== true)
      promised(
        "releases deliveries in flight, whose worker ended with its process",
        ({ reopen, store }) =>
          Effect.gen(function* () {
            yield* store.deliveries.insert(aDelivery("a"))
            const [gone] = yield* store.deliveries.claim({ limit: 9, leaseMs: 1_000_000 })
            const again = yield* reopen
            const [found] = yield* again.deliveries.claim({ limit: 9, leaseMs: 1_000 })
            expect(found).toMatchObject({ reason: "lost", delivery: gone!.delivery })
            expect(yield* again.deliveries.settle(gone!, () => delivered(gone!))).toBeNull()
            expect(yield* again.deliveries.settle(found!, () => delivered(found!))).not.toBeNull()
          }),
        "reopen"
      )

    if (backend.isShared !== true)
      promised(
        "releases jobs that were being run, whose claims ended with their process",
        ({ reopen, store }) =>
          Effect.gen(function* () {
            yield* Effect.forEach([aStep(1, 0), aStep(2, 60_000)], store.jobs.enqueue)
            const [gone] = yield* store.jobs.claim({ slots: { step: 9 }, leaseMs: 1_000_000 })
            const again = yield* reopen
            const claims = yield* again.jobs.claim({ slots: { step: 9 }, leaseMs: 1_000 })
            expect(claims.map(({ job }) => job)).toEqual([aStep(1, 0)])
            expect(yield* again.jobs.finish(gone!)).toBe(false)
          }),
        "reopen"
      )

    if (backend.isShared !== true)
      promised(
        "releases uploads that were being completed, whose claims ended with their process",
        ({ reopen, store }) =>
          Effect.gen(function* () {
            const claimed = anUpload("a", { offset: 9, sizeBytes: 9, fence: 2, leasedUntil: instantAfter(60_000) })
            yield* Effect.forEach([claimed, anUpload("b")], store.uploads.save)
            const again = yield* reopen
            expect(yield* again.uploads.byId("a")).toEqual({ ...claimed, leasedUntil: null })
            expect(yield* again.uploads.byId("b")).toEqual(anUpload("b"))
          }),
        "reopen"
      )

    promised(
      "returns a held result at its time",
      ({ reopen, setTime, store }) =>
        Effect.gen(function* () {
          yield* store.deliveries.insert(aDelivery("a"))
          const [claim] = yield* store.deliveries.claim({ limit: 9, leaseMs: 1_000 })
          yield* store.deliveries.hold(claim!, aResult(), instantAfter(30_000))
          const again = yield* reopen
          expect(yield* again.deliveries.claim({ limit: 9, leaseMs: 1_000 })).toEqual([])
          yield* setTime(instantAfter(30_000))
          const [answered] = yield* again.deliveries.claim({ limit: 9, leaseMs: 1_000 })
          expect(answered).toMatchObject({ reason: "answered", result: aResult() })
        }),
      "reopen"
    )

    promised(
      "has no changes of a failed transaction",
      ({ reopen, store }) =>
        Effect.gen(function* () {
          yield* seed(store)
          const before = yield* observe(store)
          const failed = store.transaction(Effect.andThen(writeEverything(store), Effect.fail("no")))
          expect(yield* Effect.exit(failed)).toEqual(Exit.fail("no"))
          expect(yield* observe(yield* reopen)).toEqual(before)
        }),
      "reopen"
    )

    promised(
      "has no changes of a transaction in which its process was killed, and all that were committed before",
      ({ crash: { close, module, place }, reopen, store }) =>
        Effect.gen(function* () {
          yield* store.recordings.save(aRecording(3))
          yield* close
          expect(yield* Effect.promise(() => killMidway(module, place))).toBe(midway)
          const again = yield* reopen
          const found = yield* observe(again)
          yield* again.recordings.save(aRecording(3))
          // The same by hand, without the transaction.
          const { open } = backend
          const expected = yield* Effect.scoped(
            Effect.gen(function* () {
              const other = (yield* open).store
              yield* other.recordings.save(aRecording(3))
              yield* seed(other)
              return yield* observe(other)
            })
          )
          expect(found).toEqual(expected)
        }),
      "reopen",
      "crash"
    )
  })
}
