import type { Instant } from "@tapedeck/domain"
import {
  claimKeysOf,
  type FreeSlots,
  type Job,
  type JobQueue,
  nextQueue,
  poolOfQueue
} from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { now } from "../../now.ts"
import type { JobClaim, JobCounts, Store } from "../Store.ts"
import { schedule } from "./deliveries.ts"
import type { MemoryState } from "./MemoryState.ts"
import { comparePlaces, type Draft, type QueuedJob, type WorldState } from "./WorldState.ts"

const isClaimed = ({ job, place }: QueuedJob, now: Instant): boolean => place.at > now && place.at > job.dueAt

const removeJob = (draft: Draft, id: string): boolean => {
  const row = draft.state.jobs.get(id)
  if (row === undefined) return false
  draft.edit("agenda").delete(row.place)
  return draft.edit("jobs").delete(id)
}

const enqueueJob = (draft: Draft, job: Job) => {
  removeJob(draft, job.id)
  const place = schedule(draft, { kind: "job", at: job.dueAt, jobId: job.id })
  draft.edit("jobs").set(job.id, { job, fence: 0, place })
}

/** Leases a job. It keeps its order among the jobs that are available at the same instant. */
const leaseJob = (draft: Draft, { job, place: before }: QueuedJob, leaseEnd: Instant, fence: number): JobClaim => {
  const place = { ...before, at: leaseEnd }
  const agenda = draft.edit("agenda")
  agenda.delete(before)
  agenda.set(place, { kind: "job", at: leaseEnd, jobId: job.id })
  draft.edit("jobs").set(job.id, { job, fence, place })
  return { job, fence }
}

const newFence = (draft: Draft) => draft.count("job_fence")

/** The counter that holds the fence of the last claim of an account or a queue. */
const lastClaimOf = (key: string) => `job_claim ${key}`

const queuesOf = ({ jobs }: WorldState, now: Instant): ReadonlyArray<JobQueue> => {
  const queues = new Map<string, JobQueue>()
  for (const row of jobs.values()) {
    const { at } = row.place
    const key = row.job.queueKey
    const { availableAt, claimed } = queues.get(key) ?? { availableAt: null, claimed: 0 }
    queues.set(key, {
      key,
      availableAt: at > now ? availableAt : Math.min(at, availableAt ?? at),
      claimed: claimed + (isClaimed(row, now) ? 1 : 0)
    })
  }
  return [...queues.values()]
}

const countJobs = ({ jobs }: WorldState, now: Instant): ReadonlyArray<JobCounts> => {
  const counts = new Map<Job["kind"], JobCounts>()
  for (const row of jobs.values()) {
    const { kind } = row.job
    const { availableAt, claimed, waiting } = counts.get(kind) ?? { availableAt: null, claimed: 0, waiting: 0 }
    const { at } = row.place
    counts.set(kind, {
      kind,
      waiting: waiting + (isClaimed(row, now) ? 0 : 1),
      claimed: claimed + (isClaimed(row, now) ? 1 : 0),
      availableAt: at > now || (availableAt !== null && availableAt <= at) ? availableAt : at
    })
  }
  return [...counts.values()]
}

const claimNext = (draft: Draft, now: Instant, slots: FreeSlots, leaseMs: number): JobClaim | undefined => {
  const lastClaim = (key: string) => draft.state.counters[lastClaimOf(key)] ?? 0
  const queue = nextQueue(queuesOf(draft.state, now), slots, lastClaim)
  if (queue === undefined) return undefined
  const [first] = draft.state.jobs
    .valuesArray()
    .filter(({ job, place }) => job.queueKey === queue.key && place.at <= now)
    .sort((a, b) => comparePlaces(a.place, b.place))
  const claim = leaseJob(draft, first!, (now + leaseMs) as Instant, newFence(draft))
  for (const key of claimKeysOf(queue.key)) draft.countFrom(lastClaimOf(key), claim.fence)
  return claim
}

const claimJobs = (draft: Draft, now: Instant, slots: FreeSlots, leaseMs: number): ReadonlyArray<JobClaim> => {
  const free = { ...slots }
  const claims: Array<JobClaim> = []
  for (;;) {
    const claim = claimNext(draft, now, free, leaseMs)
    if (claim === undefined) return claims
    const pool = poolOfQueue(claim.job.queueKey)
    free[pool] = free[pool]! - 1
    claims.push(claim)
  }
}

const claimJob = (draft: Draft, id: string, now: Instant, leaseMs: number): JobClaim | undefined => {
  const row = draft.state.jobs.get(id)
  if (row === undefined || isClaimed(row, now)) return undefined
  return leaseJob(draft, row, (now + leaseMs) as Instant, newFence(draft))
}

/** The row that the claim still holds. */
const heldRow = (draft: Draft, { fence, job }: JobClaim): QueuedJob | undefined => {
  const row = draft.state.jobs.get(job.id)
  return row?.fence === fence ? row : undefined
}

const renewJob = (draft: Draft, claim: JobClaim, now: Instant, leaseMs: number): boolean => {
  const row = heldRow(draft, claim)
  if (row !== undefined) leaseJob(draft, row, (now + leaseMs) as Instant, claim.fence)
  return row !== undefined
}

const finishJob = (draft: Draft, claim: JobClaim): boolean =>
  heldRow(draft, claim) !== undefined && removeJob(draft, claim.job.id)

const postponeJob = (draft: Draft, claim: JobClaim, job: Job): boolean => {
  if (heldRow(draft, claim) === undefined) return false
  enqueueJob(draft, job)
  return true
}

/** Jobs in memory. */
export const jobRepository = ({ read, write, writeAt }: MemoryState): Pick<Store, "jobs"> => ({
  jobs: {
    enqueue: (job) => write((draft) => enqueueJob(draft, job)),
    enqueueOnce: (job) => write((draft) => (draft.state.jobs.has(job.id) ? undefined : enqueueJob(draft, job))),
    byIds: (ids) => read(({ jobs }) => ids.flatMap((id) => jobs.get(id)?.job ?? [])),
    claim: ({ leaseMs, slots }) => writeAt((draft, now) => claimJobs(draft, now, slots, leaseMs), false),
    claimById: (id, leaseMs) => writeAt((draft, now) => claimJob(draft, id, now, leaseMs), false),
    renew: (claim, leaseMs) => writeAt((draft, now) => renewJob(draft, claim, now, leaseMs), false),
    counts: Effect.flatMap(now, (at) => read((state) => countJobs(state, at))),
    finish: (claim) => write((draft) => finishJob(draft, claim)),
    postpone: (claim, job) => write((draft) => postponeJob(draft, claim, job)),
    cancel: (ids) =>
      write((draft) => {
        for (const id of ids) removeJob(draft, id)
      })
  }
})
