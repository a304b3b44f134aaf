import type { MediaClaim, Store } from "@tapedeck/core"
import type { MediaJob } from "@tapedeck/domain/internal/files"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { instantAfter, startInstant, uuidOf } from "./samples.ts"

const leaseMs = 1_000

const aJob = (recording: number, known: Partial<MediaJob> = {}): MediaJob => ({
  recordingUuid: uuidOf(recording),
  kind: "process",
  fileId: `file ${recording}`,
  queueKey: "1:",
  maxSeconds: null,
  failedTries: 0,
  dueAt: startInstant,
  ...known
})

const claim = (store: Store, limit = 100) => store.mediaJobs.claim({ limit, leaseMs })

const claimOne = (store: Store, job = aJob(1)) =>
  Effect.gen(function* () {
    yield* store.mediaJobs.add(job)
    return (yield* claim(store))[0]!
  })

/** All writes of a claim. Each returns whether it was done. */
const writes: Readonly<Record<string, (store: Store, claim: MediaClaim) => Effect.Effect<boolean>>> = {
  finish: (store, claim) => store.mediaJobs.finish(claim),
  postpone: (store, claim) => store.mediaJobs.postpone(claim, { ...claim.job, dueAt: instantAfter(60_000) }),
  extend: (store, claim) => store.mediaJobs.extend(claim, leaseMs)
}

export const mediaJobs = (promised: Promised): void => {
  describe("a media job", () => {
    promised("is claimed when it is due and not before, the longest due first", ({ setTime, store }) =>
      Effect.gen(function* () {
        const jobs = [
          aJob(1, { dueAt: instantAfter(20) }),
          aJob(2, { dueAt: instantAfter(10) }),
          aJob(3, { dueAt: instantAfter(30) })
        ]
        yield* Effect.forEach(jobs, store.mediaJobs.add)
        yield* setTime(instantAfter(9))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(29))
        expect((yield* claim(store)).map(({ job }) => job)).toEqual([jobs[1], jobs[0]])
        yield* setTime(instantAfter(30))
        expect((yield* claim(store)).map(({ job }) => job)).toEqual([jobs[2]])
      })
    )

    /** Claims the jobs one by one, like a worker with one slot. Returns their queues. */
    const served = (store: Store, count: number, meanwhile: Effect.Effect<void> = Effect.void) =>
      Effect.gen(function* () {
        const queues: Array<string> = []
        while (queues.length < count) {
          const [one] = yield* claim(store, 1)
          if (one === undefined) break
          queues.push(one.job.queueKey)
          yield* store.mediaJobs.finish(one)
          yield* meanwhile
        }
        return queues
      })

    const addTo = (store: Store, queueKey: string, recordings: ReadonlyArray<number>) =>
      Effect.forEach(recordings, (one) => store.mediaJobs.add(aJob(one, { queueKey })), { discard: true })

    promised("takes turns with those of other accounts, however many wait", ({ store }) =>
      Effect.gen(function* () {
        yield* addTo(store, "1:", [1, 2, 3, 4, 5])
        yield* addTo(store, "2:", [6, 7])
        yield* addTo(store, "3:", [8])
        expect(yield* served(store, 9)).toEqual(["1:", "2:", "3:", "1:", "2:", "1:", "1:", "1:"])
      })
    )

    promised("takes turns with those of its account's sites, which have no more than the account", ({ store }) =>
      Effect.gen(function* () {
        yield* addTo(store, "1:", [1, 2])
        yield* addTo(store, "1:shop", [3, 4])
        yield* addTo(store, "1:blog", [5])
        yield* addTo(store, "2:", [6, 7, 8, 9])
        expect(yield* served(store, 9)).toEqual(["1:", "2:", "1:blog", "2:", "1:shop", "2:", "1:", "2:", "1:shop"])
      })
    )

    promised("waits for a turn of the others, also where its account orders one at a time", ({ store }) =>
      Effect.gen(function* () {
        yield* addTo(store, "1:", [1, 2, 3, 4])
        yield* addTo(store, "2:", [5])
        let next = 6
        const again = Effect.suspend(() => {
          const known = store.mediaJobs.ofRecording(uuidOf(next - 1))
          return Effect.flatMap(known, (jobs) => (jobs.length > 0 ? Effect.void : addTo(store, "2:", [next++])))
        })
        expect(yield* served(store, 8, again)).toEqual(["1:", "2:", "1:", "2:", "1:", "2:", "1:", "2:"])
      })
    )

    promised("goes to the account with the fewest claimed jobs, until their leases end", ({ setTime, store }) =>
      Effect.gen(function* () {
        yield* addTo(store, "1:", [1, 2, 3, 4])
        yield* addTo(store, "1:shop", [5])
        yield* addTo(store, "2:", [6, 7, 8])
        const queues = (claims: ReadonlyArray<MediaClaim>) => claims.map(({ job }) => job.queueKey)
        const first = yield* claim(store, 3)
        expect(queues(first)).toEqual(["1:", "2:", "1:shop"])
        const [theirs] = yield* claim(store, 1)
        expect(theirs?.job.queueKey).toBe("2:")
        // Account 1 has two, and account 2 one: it is next, although it was last.
        yield* store.mediaJobs.finish(theirs!)
        expect(queues(yield* claim(store, 1))).toEqual(["2:"])
        // Retries of a job that failed wait in no slot.
        yield* store.mediaJobs.postpone(first[0]!, { ...first[0]!.job, dueAt: instantAfter(60_000) })
        expect(queues(yield* claim(store, 1))).toEqual(["1:"])
        yield* setTime(instantAfter(leaseMs))
        expect(queues(yield* claim(store))).toEqual(["2:", "1:shop", "2:", "1:", "1:", "1:"])
      })
    )

    promised("is claimed once by concurrent claims, which take at most their limits", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => aJob(index + 1)),
          store.mediaJobs.add
        )
        const asked = Array.from({ length: 10 }, () => claim(store, 3))
        const claims = yield* Effect.all(asked, { concurrency: "unbounded" })
        for (const some of claims) expect(some.length).toBeLessThanOrEqual(3)
        expect(new Set(claims.flat().map(({ job }) => job.recordingUuid)).size).toBe(20)
        expect(claims.flat()).toHaveLength(20)
      })
    )

    promised("is the only one of its kind of a recording", ({ store }) =>
      Effect.gen(function* () {
        yield* store.mediaJobs.add(aJob(1, { fileId: "before" }))
        const jobs = [
          aJob(1, { kind: "transcribe", fileId: "now" }),
          aJob(1, { fileId: "now", dueAt: instantAfter(5) })
        ]
        yield* Effect.forEach([...jobs, aJob(2)], store.mediaJobs.add)
        expect(yield* store.mediaJobs.ofRecording(uuidOf(1))).toEqual(jobs)
        expect(yield* store.mediaJobs.ofRecording(uuidOf(3))).toEqual([])
      })
    )

    promised("does not exist after it is finished", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        expect(yield* store.mediaJobs.finish(mine)).toBe(true)
        expect(yield* store.mediaJobs.finish(mine)).toBe(false)
        expect(yield* store.mediaJobs.ofRecording(uuidOf(1))).toEqual([])
        yield* setTime(instantAfter(10 * leaseMs))
        expect(yield* claim(store)).toEqual([])
      })
    )

    promised("is due again at the given time after it is postponed, as it was given back", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        const later = { ...mine.job, failedTries: 1, dueAt: instantAfter(60_000) }
        expect(yield* store.mediaJobs.postpone(mine, later)).toBe(true)
        expect(yield* store.mediaJobs.finish(mine)).toBe(false)
        yield* setTime(instantAfter(59_999))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(60_000))
        expect(yield* claim(store)).toMatchObject([{ job: later }])
      })
    )

    promised("goes to the next claim when its lease ends, and is lost to the previous one", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(leaseMs - 1))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(leaseMs))
        const [theirs, ...rest] = yield* claim(store)
        expect(rest).toEqual([])
        expect(theirs?.job).toEqual(mine.job)
        for (const write of Object.values(writes)) expect(yield* write(store, mine)).toBe(false)
        expect(yield* store.mediaJobs.finish(theirs!)).toBe(true)
      })
    )

    promised("stays with a worker that extends the lease in time", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(900))
        expect(yield* store.mediaJobs.extend(mine, leaseMs)).toBe(true)
        yield* setTime(instantAfter(1_899))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(1_900))
        expect(yield* claim(store)).toHaveLength(1)
      })
    )

    for (const [name, write] of Object.entries(writes)) {
      promised(`cannot be changed by the claim of a job that was replaced: ${name}`, ({ store }) =>
        Effect.gen(function* () {
          const before = yield* claimOne(store, aJob(1, { fileId: "before" }))
          yield* store.mediaJobs.add(aJob(1, { fileId: "now" }))
          expect(yield* write(store, before)).toBe(false)
          const [now] = yield* claim(store)
          expect(now?.job.fileId).toBe("now")
          expect(yield* write(store, before)).toBe(false)
          expect(yield* store.mediaJobs.finish(now!)).toBe(true)
        })
      )

      promised(`cannot be changed by the claim of a finished job after it is added again: ${name}`, ({ store }) =>
        Effect.gen(function* () {
          const before = yield* claimOne(store)
          yield* store.mediaJobs.finish(before)
          const now = yield* claimOne(store)
          expect(yield* write(store, before)).toBe(false)
          expect(yield* store.mediaJobs.finish(now)).toBe(true)
        })
      )
    }

    promised("is removed with the recording's other jobs, or alone, even while claimed", ({ store }) =>
      Effect.gen(function* () {
        const transcribe = aJob(1, { kind: "transcribe" })
        yield* Effect.forEach([aJob(1), transcribe, aJob(2)], store.mediaJobs.add)
        const [first] = yield* claim(store, 1)
        yield* store.mediaJobs.remove(uuidOf(1), "process")
        expect(yield* store.mediaJobs.ofRecording(uuidOf(1))).toEqual([transcribe])
        expect(yield* store.mediaJobs.finish(first!)).toBe(false)
        yield* store.mediaJobs.add(aJob(1))
        yield* store.mediaJobs.remove(uuidOf(1))
        expect(yield* store.mediaJobs.ofRecording(uuidOf(1))).toEqual([])
        expect(yield* store.mediaJobs.ofRecording(uuidOf(2))).toHaveLength(1)
      })
    )

    promised("is unchanged by a failed transaction", ({ store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        const all = [store.mediaJobs.finish(mine), store.mediaJobs.add(aJob(2)), store.mediaJobs.remove(uuidOf(1))]
        for (const one of all) yield* Effect.exit(store.transaction(Effect.andThen(one, Effect.fail("no"))))
        expect(yield* store.mediaJobs.ofRecording(uuidOf(2))).toEqual([])
        expect(yield* store.mediaJobs.finish(mine)).toBe(true)
      })
    )

    promised("wakes fibers that wait for the agenda when it is added, though it is not on it", ({ store }) =>
      Effect.gen(function* () {
        const wait = Effect.andThen(store.agenda.changed, claim(store))
        const waiter = yield* Effect.forkChild(wait, { startImmediately: true })
        yield* store.mediaJobs.add(aJob(1))
        expect(yield* Fiber.join(waiter)).toHaveLength(1)
        expect(yield* store.agenda.list).toEqual([])
      })
    )
  })
}
