import { type JobPool, jobKinds } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { ChangeLog } from "../changes/ChangeLog.ts"
import type { Due, Store } from "../Store.ts"
import { auditRepositories } from "./auditLog.ts"
import { captureRepositories } from "./captures.ts"
import { deliveryRepository } from "./deliveries.ts"
import { fileRepository } from "./files.ts"
import { idempotencyKeyRepository } from "./idempotencyKeys.ts"
import { jobRepository } from "./jobs.ts"
import { makeMemoryState } from "./MemoryState.ts"
import { peopleRepositories } from "./people.ts"
import { receiverRepositories } from "./receivers.ts"
import { recordingRepositories } from "./recordings.ts"
import { redeliveryRepository } from "./redeliveries.ts"
import { signInRepositories } from "./signIn.ts"
import { statisticsRepository } from "./statistics.ts"
import { uploadRepository } from "./uploads.ts"
import type { WorldState } from "./WorldState.ts"

/** A store in memory, and its whole state as one value to take out and to put back. */
export interface MemoryStore {
  readonly store: Store
  readonly state: () => WorldState
  /** A transaction that is open changes nothing any more, and others do not wait for it. */
  readonly replace: (state: WorldState) => void
  /** The next number of this name, from 1. It is part of the state: a transaction that fails takes it back. */
  readonly count: (name: string) => Effect.Effect<number>
}

export const makeMemoryStore = (initial: WorldState, epoch = "0"): MemoryStore => {
  const state = makeMemoryState(initial, epoch)
  const { changed, committed, read, replace, transaction, write } = state
  const changes = new ChangeLog(epoch)
  const store: Store = {
    transaction: changes.publishing(transaction),
    changes,
    nextNumber: (kind) => write((draft) => draft.count(kind)),
    isReporter: Effect.succeed(true),
    ...peopleRepositories(state),
    ...recordingRepositories(state),
    ...receiverRepositories(state),
    ...captureRepositories(state),
    ...auditRepositories(state),
    ...deliveryRepository(state),
    ...redeliveryRepository(state),
    ...statisticsRepository(state),
    ...jobRepository(state),
    agenda: {
      next: (pools) => read((world) => nextDue(world, pools)),
      list: read(({ agenda }) => agenda.valuesArray()),
      changed
    },
    ...fileRepository(state),
    ...uploadRepository(state),
    space: { isFull: Effect.succeed(false), ranOut: Effect.void },
    ...idempotencyKeyRepository(state),
    ...signInRepositories(state)
  }
  return {
    store,
    state: committed,
    count: (name) => write((draft) => draft.count(name)),
    replace: (replacement) => {
      replace(replacement)
      changes.receive(null)
    }
  }
}

const nextDue = ({ agenda, jobs }: WorldState, pools: ReadonlyArray<JobPool>): Due | undefined => {
  for (const due of agenda.values()) {
    if (due.kind !== "job" || pools.includes(jobKinds[jobs.get(due.jobId)!.job.kind].pool)) return due
  }
  return undefined
}
