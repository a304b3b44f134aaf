import type { Instant, RecordingUuid } from "@tapedeck/domain"
import {
  type MediaJob,
  MediaJobKind,
  type MediaQueue,
  mediaClaimKeys,
  nextMediaQueue
} from "@tapedeck/domain/internal/files"
import type { MediaClaim, Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft, QueuedMediaJob, WorldState } from "./WorldState.ts"

export const keyOfJob = ({ kind, recordingUuid }: Pick<MediaJob, "kind" | "recordingUuid">): string =>
  `${recordingUuid}:${kind}`

const newFence = (draft: Draft) => draft.count("media_fence")

const put = (draft: Draft, job: MediaJob, availableAt: Instant = job.dueAt): QueuedMediaJob => {
  const row = { job, fence: newFence(draft), availableAt }
  draft.edit("mediaJobs").set(keyOfJob(job), row)
  return row
}

const addJob = (draft: Draft, job: MediaJob) => void put(draft, job)

const jobsOf = (state: WorldState, recordingUuid: RecordingUuid): ReadonlyArray<MediaJob> =>
  MediaJobKind.literals.flatMap((kind) => state.mediaJobs.get(keyOfJob({ kind, recordingUuid }))?.job ?? [])

/** The counter that holds the fence of the last claim of an account or a queue. */
const lastClaimOf = (key: string) => `media_claim ${key}`

const queuesOf = ({ mediaJobs }: WorldState, now: Instant): ReadonlyArray<MediaQueue> => {
  const queues = new Map<string, MediaQueue>()
  for (const { availableAt, job } of mediaJobs.valuesArray()) {
    const key = job.queueKey
    const queue = queues.get(key) ?? { key, availableAt: null, claimed: 0 }
    const isClaimed = availableAt > now && availableAt > job.dueAt
    queues.set(key, {
      ...queue,
      availableAt: availableAt > now ? queue.availableAt : Math.min(availableAt, queue.availableAt ?? availableAt),
      claimed: queue.claimed + (isClaimed ? 1 : 0)
    })
  }
  return [...queues.values()]
}

const claimNext = (draft: Draft, now: Instant, leaseMs: number): MediaClaim | undefined => {
  const lastClaim = (key: string) => draft.state.counters[lastClaimOf(key)] ?? 0
  const queue = nextMediaQueue(queuesOf(draft.state, now), lastClaim)
  if (queue === undefined) return undefined
  const [first] = draft.state.mediaJobs
    .valuesArray()
    .filter(({ availableAt, job }) => job.queueKey === queue.key && availableAt <= now)
    .sort((a, b) => a.availableAt - b.availableAt || a.fence - b.fence)
  const { job } = first!
  const { fence } = put(draft, job, (now + leaseMs) as Instant)
  for (const key of mediaClaimKeys(queue.key)) draft.countFrom(lastClaimOf(key), fence)
  return { job, fence }
}

const claimJobs = (draft: Draft, now: Instant, limit: number, leaseMs: number): ReadonlyArray<MediaClaim> => {
  const claims: Array<MediaClaim> = []
  while (claims.length < limit) {
    const claim = claimNext(draft, now, leaseMs)
    if (claim === undefined) break
    claims.push(claim)
  }
  return claims
}

/** Returns whether the claim still holds its job. */
const isHeld = (draft: Draft, { fence, job }: MediaClaim): boolean =>
  draft.state.mediaJobs.get(keyOfJob(job))?.fence === fence

const extendLease = (draft: Draft, claim: MediaClaim, now: Instant, leaseMs: number): boolean => {
  if (!isHeld(draft, claim)) return false
  draft.edit("mediaJobs").set(keyOfJob(claim.job), { ...claim, availableAt: (now + leaseMs) as Instant })
  return true
}

const finishJob = (draft: Draft, claim: MediaClaim): boolean =>
  isHeld(draft, claim) && draft.edit("mediaJobs").delete(keyOfJob(claim.job))

const postponeJob = (draft: Draft, claim: MediaClaim, job: MediaJob): boolean => {
  if (!isHeld(draft, claim)) return false
  put(draft, job)
  return true
}

const removeJobs = (draft: Draft, recordingUuid: RecordingUuid, kind?: MediaJob["kind"]) => {
  for (const one of kind === undefined ? MediaJobKind.literals : [kind]) {
    const key = keyOfJob({ kind: one, recordingUuid })
    // A job that does not exist is not worth a copy of the table.
    if (draft.state.mediaJobs.has(key)) draft.edit("mediaJobs").delete(key)
  }
}

/** Media jobs in memory. */
export const mediaJobRepository = ({ read, write, writeAt }: MemoryState): Pick<Store, "mediaJobs"> => ({
  mediaJobs: {
    add: (job) => write((draft) => addJob(draft, job)),
    ofRecording: (uuid) => read((state) => jobsOf(state, uuid)),
    claim: ({ limit, leaseMs }) => writeAt((draft, now) => claimJobs(draft, now, limit, leaseMs)),
    extend: (claim, leaseMs) => writeAt((draft, now) => extendLease(draft, claim, now, leaseMs)),
    finish: (claim) => write((draft) => finishJob(draft, claim)),
    postpone: (claim, job) => write((draft) => postponeJob(draft, claim, job)),
    remove: (uuid, kind) => write((draft) => removeJobs(draft, uuid, kind))
  }
})
