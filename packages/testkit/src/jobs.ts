import type { JobClaim, Store } from "@tapedeck/core"
import { UserId } from "@tapedeck/domain"
import { type Job, JobPool, jobIds, type MailJob, type MediaJob } from "@tapedeck/domain/internal/jobs"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aCapture, anAccount, aStep, instantAfter, startInstant, uuidOf } from "./samples.ts"

const leaseMs = 1_000

const aMedia = (recording: number, known: Partial<MediaJob> = {}): MediaJob => ({
  id: jobIds.media(known.kind ?? "process", uuidOf(recording)),
  queueKey: "media:1:",
  recordingUuid: uuidOf(recording),
  kind: "process",
  fileId: `file ${recording}`,
  maxSeconds: null,
  failedTries: 0,
  dueAt: startInstant,
  ...known
})

const aMail = (subject: string, known: Partial<MailJob> = {}): MailJob => ({
  id: jobIds.mail(subject),
  queueKey: "mail:1:",
  kind: "mail",
  accountId: anAccount(1).id,
  userId: UserId.make(11),
  switch: "own_recordings",
  recordingUuid: uuidOf(1),
  deliveryId: null,
  subject: `About ${subject} \u0001 🎬`,
  reason: null,
  failedTries: 0,
  createdAt: startInstant,
  dueAt: startInstant,
  ...known
})

const claim = (store: Store, slots: Partial<Record<JobPool, number>> = { mail: 100, media: 100, step: 100 }) =>
  store.jobs.claim({ slots, leaseMs })

const claimOne = (store: Store, job: Job = aMedia(1)) =>
  Effect.gen(function* () {
    yield* store.jobs.enqueue(job)
    return (yield* claim(store))[0]!
  })

const jobsOf = (claims: ReadonlyArray<JobClaim>) => claims.map(({ job }) => job)

const queuesOf = (claims: ReadonlyArray<JobClaim>) => claims.map(({ job }) => job.queueKey)

/** All writes of a claim. Each returns whether it was done. */
const writes: Readonly<Record<string, (store: Store, claim: JobClaim) => Effect.Effect<boolean>>> = {
  finish: (store, claim) => store.jobs.finish(claim),
  postpone: (store, claim) => store.jobs.postpone(claim, { ...claim.job, dueAt: instantAfter(60_000) }),
  renew: (store, claim) => store.jobs.renew(claim, leaseMs)
}

/** Claims jobs of one pool one by one, and finishes them. Returns them. */
const served = (store: Store, pool: JobPool, meanwhile: Effect.Effect<void> = Effect.void, max = 100) =>
  Effect.gen(function* () {
    const done: Array<Job> = []
    while (done.length < max) {
      const [one] = yield* claim(store, { [pool]: 1 })
      if (one === undefined) break
      done.push(one.job)
      yield* store.jobs.finish(one)
      yield* meanwhile
    }
    return done
  })

export const jobs = (promised: Promised): void => {
  describe("a job", () => {
    promised("is claimed when it is due and not before, the longest due first", ({ setTime, store }) =>
      Effect.gen(function* () {
        const all = [
          aMedia(1, { dueAt: instantAfter(20) }),
          aMedia(2, { dueAt: instantAfter(10) }),
          aMedia(3, { dueAt: instantAfter(30) })
        ]
        yield* Effect.forEach(all, store.jobs.enqueue)
        yield* setTime(instantAfter(9))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(29))
        expect(jobsOf(yield* claim(store))).toEqual([all[1], all[0]])
        yield* setTime(instantAfter(30))
        expect(jobsOf(yield* claim(store))).toEqual([all[2]])
      })
    )

    promised("is claimed as it was added, whatever its kind", ({ store }) =>
      Effect.gen(function* () {
        const all = [aMail("1"), aMedia(1, { maxSeconds: 60, failedTries: 2 }), aStep(1, 0)]
        yield* Effect.forEach(all, store.jobs.enqueue)
        const claims = jobsOf(yield* claim(store))
        expect(claims.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(all)
      })
    )

    promised("is claimed only for a free slot of its pool", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach([aMail("1"), aMail("2"), aMedia(1), aMedia(2), aStep(1, 0)], store.jobs.enqueue)
        expect(yield* claim(store, {})).toEqual([])
        const pools = (yield* claim(store, { mail: 1, media: 2 })).map(({ job }) => job.kind)
        expect(pools.toSorted()).toEqual(["mail", "process", "process"])
        expect(jobsOf(yield* claim(store))).toHaveLength(2)
      })
    )

    promised("is counted by kind: waiting until it is claimed, and again when its lease ends", ({ setTime, store }) =>
      Effect.gen(function* () {
        const countsOf = (kind: string) =>
          Effect.map(store.jobs.counts, (counts) => counts.find((one) => one.kind === kind))
        expect(yield* store.jobs.counts).toEqual([])
        const captures = [jobIds.capture("1"), jobIds.afterMedia(uuidOf(1))].map(aCapture)
        const mailJobs = [20, 30].map((ms) => aMail(String(ms), { dueAt: instantAfter(ms) }))
        yield* Effect.forEach([...mailJobs, aMedia(1), aStep(1, 0), ...captures], store.jobs.enqueue)
        yield* setTime(instantAfter(25))
        const mails = { kind: "mail", waiting: 2, claimed: 0, availableAt: instantAfter(20) }
        expect(yield* countsOf("mail")).toEqual(mails)
        expect(yield* countsOf("capture")).toMatchObject({ waiting: 2 })
        expect(yield* countsOf("process")).toMatchObject({ waiting: 1, availableAt: startInstant })
        yield* claim(store, { mail: 1 })
        expect(yield* countsOf("mail")).toEqual({ ...mails, waiting: 1, claimed: 1, availableAt: null })
        yield* setTime(instantAfter(25 + leaseMs))
        expect(yield* countsOf("mail")).toEqual({ ...mails, availableAt: instantAfter(30) })
      })
    )

    const addTo = (store: Store, queueKey: string, recordings: ReadonlyArray<number>) =>
      Effect.forEach(recordings, (one) => store.jobs.enqueue(aMedia(one, { queueKey })), { discard: true })

    const inTurn = (store: Store, meanwhile?: Effect.Effect<void>, max?: number) =>
      Effect.map(served(store, "media", meanwhile, max), (done) => done.map(({ queueKey }) => queueKey.slice(6)))

    promised("takes turns with those of other accounts, however many wait", ({ store }) =>
      Effect.gen(function* () {
        yield* addTo(store, "media:1:", [1, 2, 3, 4, 5])
        yield* addTo(store, "media:2:", [6, 7])
        yield* addTo(store, "media:3:", [8])
        expect(yield* inTurn(store)).toEqual(["1:", "2:", "3:", "1:", "2:", "1:", "1:", "1:"])
      })
    )

    promised("takes turns with those of its account's sites, which have no more than the account", ({ store }) =>
      Effect.gen(function* () {
        yield* addTo(store, "media:1:", [1, 2])
        yield* addTo(store, "media:1:shop", [3, 4])
        yield* addTo(store, "media:1:blog", [5])
        yield* addTo(store, "media:2:", [6, 7, 8, 9])
        expect(yield* inTurn(store)).toEqual(["1:", "2:", "1:blog", "2:", "1:shop", "2:", "1:", "2:", "1:shop"])
      })
    )

    promised("waits for a turn of the others, also where its account orders one at a time", ({ store }) =>
      Effect.gen(function* () {
        yield* addTo(store, "media:1:", [1, 2, 3, 4])
        yield* addTo(store, "media:2:", [5])
        let next = 6
        const again = Effect.suspend(() => {
          const known = store.jobs.byIds([aMedia(next - 1).id])
          return Effect.flatMap(known, (found) => (found.length > 0 ? Effect.void : addTo(store, "media:2:", [next++])))
        })
        expect(yield* inTurn(store, again, 8)).toEqual(["1:", "2:", "1:", "2:", "1:", "2:", "1:", "2:"])
      })
    )

    promised(
      "goes to the account with the fewest claimed jobs of the pool, until their leases end",
      ({ setTime, store }) =>
        Effect.gen(function* () {
          yield* addTo(store, "media:1:", [1, 2, 3, 4])
          yield* addTo(store, "media:1:shop", [5])
          yield* addTo(store, "media:2:", [6, 7, 8])
          // Claimed jobs of another pool do not count.
          yield* Effect.forEach(["1", "2", "3"], (one) => store.jobs.enqueue(aMail(one, { queueKey: "mail:2:" })))
          expect(yield* claim(store, { mail: 3 })).toHaveLength(3)
          const media = (count: number) => claim(store, { media: count })
          const first = yield* media(3)
          expect(queuesOf(first)).toEqual(["media:1:", "media:2:", "media:1:shop"])
          const [theirs] = yield* media(1)
          expect(theirs?.job.queueKey).toBe("media:2:")
          // Account 1 has two, and account 2 one: it is next, although it was last.
          yield* store.jobs.finish(theirs!)
          expect(queuesOf(yield* media(1))).toEqual(["media:2:"])
          // Retries of a job that failed wait in no slot.
          yield* store.jobs.postpone(first[0]!, { ...first[0]!.job, dueAt: instantAfter(60_000) })
          expect(queuesOf(yield* media(1))).toEqual(["media:1:"])
          yield* setTime(instantAfter(leaseMs))
          const all = ["media:2:", "media:1:shop", "media:2:", "media:1:", "media:1:", "media:1:"]
          expect(queuesOf(yield* media(100))).toEqual(all)
        })
    )

    promised("is claimed once by concurrent claims, which take at most their slots", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => aMedia(index + 1)),
          store.jobs.enqueue
        )
        const asked = Array.from({ length: 10 }, () => claim(store, { media: 3 }))
        const claims = yield* Effect.all(asked, { concurrency: "unbounded" })
        for (const some of claims) expect(some.length).toBeLessThanOrEqual(3)
        expect(new Set(claims.flat().map(({ job }) => job.id)).size).toBe(20)
        expect(claims.flat()).toHaveLength(20)
      })
    )

    promised("that is a step runs alone in its queue, in due order, first in first out on ties", ({ setTime, store }) =>
      Effect.gen(function* () {
        const all = [
          aStep(1, 20),
          aStep(2, 10),
          aStep(3, 20, { status: "processing" }),
          aStep(1, 10),
          aStep(4, 30),
          aStep(5, 10, { queueKey: "step:2:" })
        ]
        yield* Effect.forEach(all, store.jobs.enqueue)
        yield* setTime(instantAfter(25))
        const claims = yield* claim(store)
        expect(jobsOf(claims)).toEqual([all[1], all[5]])
        expect(yield* claim(store)).toEqual([])
        yield* store.jobs.finish(claims[0]!)
        expect(yield* served(store, "step")).toEqual([all[3], all[0], all[2]])
      })
    )

    promised("that is a step is claimed by one of concurrent claims", ({ store }) =>
      Effect.gen(function* () {
        const steps = Array.from({ length: 20 }, (_, index) => aStep(1, 0, { id: `step ${index}` }))
        yield* Effect.forEach(steps, store.jobs.enqueue)
        const done: Array<Job> = []
        const run = Effect.gen(function* () {
          const claims = yield* claim(store, { step: 3 })
          // No other is claimed before this one is finished.
          done.push(...jobsOf(claims))
          yield* Effect.forEach(claims, store.jobs.finish)
        })
        while (done.length < steps.length) {
          yield* Effect.all([run, run, run, run], { concurrency: "unbounded" })
        }
        expect(done).toEqual(steps)
      })
    )

    promised(
      "is claimed by its id, regardless of turns and before it is due, unless another claim holds it",
      ({ store }) =>
        Effect.gen(function* () {
          const [first, second] = [aMedia(1), aMedia(2, { dueAt: instantAfter(10) })]
          yield* Effect.forEach([first, second], store.jobs.enqueue)
          expect(yield* store.jobs.claimById("none", leaseMs)).toBeUndefined()
          const mine = yield* store.jobs.claimById(second.id, leaseMs)
          expect(mine?.job).toEqual(second)
          expect(yield* store.jobs.claimById(second.id, leaseMs)).toBeUndefined()
          expect(jobsOf(yield* claim(store))).toEqual([first])
          expect(yield* store.jobs.finish(mine!)).toBe(true)
        })
    )

    promised("takes the place of the job of the same id, or leaves it, as is asked", ({ store }) =>
      Effect.gen(function* () {
        yield* store.jobs.enqueue(aMedia(1, { fileId: "before" }))
        const now = aMedia(1, { fileId: "now", queueKey: "media:2:", dueAt: instantAfter(5) })
        yield* Effect.forEach([now, aMedia(2)], store.jobs.enqueue)
        yield* store.jobs.enqueueOnce(aMedia(1, { fileId: "again" }))
        yield* store.jobs.enqueueOnce(aMedia(3))
        const ids = [aMedia(3).id, now.id, "none", aMedia(2).id]
        expect(yield* store.jobs.byIds(ids)).toEqual([aMedia(3), now, aMedia(2)])
        expect(jobsOf(yield* claim(store))).toEqual([aMedia(2), aMedia(3)])
      })
    )

    promised("does not exist after it is finished", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        expect(yield* store.jobs.finish(mine)).toBe(true)
        expect(yield* store.jobs.finish(mine)).toBe(false)
        expect(yield* store.jobs.byIds([mine.job.id])).toEqual([])
        yield* setTime(instantAfter(10 * leaseMs))
        expect(yield* claim(store)).toEqual([])
        expect(yield* store.agenda.list).toEqual([])
      })
    )

    promised("is due again at the given time after it is postponed, as it was given back", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store, aMail("1"))
        const later = { ...mine.job, failedTries: 1, dueAt: instantAfter(60_000) }
        expect(yield* store.jobs.postpone(mine, later)).toBe(true)
        expect(yield* store.jobs.finish(mine)).toBe(false)
        yield* setTime(instantAfter(59_999))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(60_000))
        expect(jobsOf(yield* claim(store))).toEqual([later])
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
        expect(yield* store.jobs.finish(theirs!)).toBe(true)
      })
    )

    promised("stays with a worker that renews the lease in time", ({ setTime, store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        yield* setTime(instantAfter(900))
        expect(yield* store.jobs.renew(mine, leaseMs)).toBe(true)
        yield* setTime(instantAfter(1_899))
        expect(yield* claim(store)).toEqual([])
        yield* setTime(instantAfter(1_900))
        expect(yield* claim(store)).toHaveLength(1)
      })
    )

    for (const [name, write] of Object.entries(writes)) {
      promised(`cannot be changed by the claim of a job that was replaced: ${name}`, ({ store }) =>
        Effect.gen(function* () {
          const before = yield* claimOne(store, aMedia(1, { fileId: "before" }))
          yield* store.jobs.enqueue(aMedia(1, { fileId: "now" }))
          expect(yield* write(store, before)).toBe(false)
          const [now] = yield* claim(store)
          expect(now?.job).toMatchObject({ fileId: "now" })
          expect(yield* write(store, before)).toBe(false)
          expect(yield* store.jobs.finish(now!)).toBe(true)
        })
      )

      promised(`cannot be changed by the claim of a finished job after it is added again: ${name}`, ({ store }) =>
        Effect.gen(function* () {
          const before = yield* claimOne(store)
          yield* store.jobs.finish(before)
          const now = yield* claimOne(store)
          expect(yield* write(store, before)).toBe(false)
          expect(yield* store.jobs.finish(now)).toBe(true)
        })
      )
    }

    promised("is cancelled, even while it is claimed, and leaves nothing", ({ store }) =>
      Effect.gen(function* () {
        const [transcribe, process] = [aMedia(1, { kind: "transcribe" }), aMedia(1)]
        yield* Effect.forEach([process, transcribe, aMedia(2)], store.jobs.enqueue)
        const [first] = yield* claim(store, { media: 1 })
        yield* store.jobs.cancel([process.id, "none"])
        expect(yield* store.jobs.finish(first!)).toBe(false)
        yield* store.jobs.cancel([])
        yield* store.jobs.cancel([transcribe.id, aMedia(2).id])
        expect(yield* store.jobs.byIds([process.id, transcribe.id, aMedia(2).id])).toEqual([])
        expect(yield* store.agenda.list).toEqual([])
      })
    )

    promised("is unchanged by a failed transaction", ({ store }) =>
      Effect.gen(function* () {
        const mine = yield* claimOne(store)
        const all = [
          store.jobs.finish(mine),
          store.jobs.postpone(mine, mine.job),
          store.jobs.enqueue(aMedia(2)),
          store.jobs.enqueueOnce(aMail("1")),
          store.jobs.cancel([mine.job.id])
        ]
        for (const one of all) yield* Effect.exit(store.transaction(Effect.andThen(one, Effect.fail("no"))))
        expect(yield* store.jobs.byIds([aMedia(2).id, aMail("1").id])).toEqual([])
        expect(yield* store.jobs.finish(mine)).toBe(true)
      })
    )

    promised("is on the agenda, claimed until its lease ends", ({ setTime, store }) =>
      Effect.gen(function* () {
        const wait = Effect.andThen(store.agenda.changed, store.agenda.list)
        const waiter = yield* Effect.forkChild(wait, { startImmediately: true })
        const job = aMail("1", { dueAt: instantAfter(5) })
        const due = { kind: "job", at: instantAfter(5), jobId: job.id }
        yield* store.jobs.enqueue(job)
        expect(yield* Fiber.join(waiter)).toEqual([due])
        yield* store.jobs.enqueue(aMedia(1, { dueAt: instantAfter(5) }))
        expect(yield* store.agenda.next(JobPool.literals)).toEqual(due)
        expect(yield* store.agenda.next(["media", "step"])).toMatchObject({ jobId: aMedia(1).id })
        expect(yield* store.agenda.next(["step"])).toBeUndefined()
        yield* setTime(instantAfter(5))
        yield* store.jobs.claimById(job.id, leaseMs)
        expect(yield* store.agenda.next(["mail"])).toEqual({ ...due, at: instantAfter(5 + leaseMs) })
      })
    )
  })
}
