import type { Instant, RecordingUuid } from "@tapedeck/domain"
import { type MediaJob, MediaJobKind } from "@tapedeck/domain/internal"
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

const claimJobs = (draft: Draft, now: Instant, limit: number, leaseMs: number): ReadonlyArray<MediaClaim> =>
  draft.state.mediaJobs
    .valuesArray()
    .filter(({ availableAt }) => availableAt <= now)
    .sort((a, b) => a.availableAt - b.availableAt || a.fence - b.fence)
    .slice(0, limit)
    .map(({ job }) => {
      const { fence } = put(draft, job, (now + leaseMs) as Instant)
      return { job, fence }
    })

/** Whether the claim still holds its job. */
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
    // What is not there is not worth a copy of the table.
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
