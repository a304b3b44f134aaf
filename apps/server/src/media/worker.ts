import { type MediaClaim, MediaJobs, mediaLeaseMs, storeOf } from "@tapedeck/core"
import { Effect, Fiber, FiberSet } from "effect"
import type { WorkResources } from "./job.ts"
import { retryStoreCall } from "./retryStoreCall.ts"
import { jobFields, runJob } from "./work.ts"
import { cleanWorkDirectories } from "./workFiles.ts"

export interface WorkerOptions extends WorkResources {
  /** Maximum number of concurrent jobs. Each may use a core. */
  readonly concurrency: number
}

/** Poll interval, for due retries and for expired leases, which notify no worker. */
const pollMs = 5_000

/** Minimum time between two claims, because deliveries change the agenda all the time. */
const pauseMs = 250

/**
 * Runs media jobs until it is interrupted. Then it stops the jobs in flight and releases their claims, so that another worker
 * can claim them at once.
 */
export const mediaWorker = ({ concurrency, ...resources }: WorkerOptions) =>
  Effect.gen(function* () {
    const store = yield* storeOf("agenda")
    const media = yield* MediaJobs
    const inFlight = yield* FiberSet.make()
    yield* cleanWorkDirectories(resources.directory)

    const claimJobs = Effect.gen(function* () {
      const free = concurrency - (yield* FiberSet.size(inFlight))
      if (free === 0) return
      for (const claim of yield* media.claim(free)) yield* FiberSet.run(inFlight, runClaim(resources, claim))
    }).pipe(Effect.catchCause((cause) => Effect.logError("store call failed; retrying to claim media jobs", cause)))

    const turn = Effect.gen(function* () {
      const changed = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
      yield* claimJobs
      // A job that ends frees a slot for the next.
      const slotFreed = Effect.andThen(awaitAny(inFlight), Effect.void)
      yield* Effect.raceFirst(Effect.raceFirst(Effect.sleep(pollMs), Fiber.join(changed)), slotFreed)
      yield* Fiber.interrupt(changed)
      yield* Effect.sleep(pauseMs)
    })

    return yield* Effect.forever(turn)
  }).pipe(Effect.scoped)

const awaitAny = (fibers: FiberSet.FiberSet<unknown, unknown>) =>
  Effect.suspend(() => {
    const all = [...fibers]
    return all.length === 0 ? Effect.never : Effect.raceAllFirst(all.map(Fiber.await))
  })

/** Runs the job and renews its lease. Stops when the job was cancelled or the lease is lost. */
const runClaim = Effect.fnUntraced(function* (resources: WorkResources, claim: MediaClaim) {
  const media = yield* MediaJobs
  const fields = jobFields(claim)
  // The job continues during the retries: its claim is lost only if another worker has claimed the job.
  const stillAt = retryStoreCall(media.stillAt(claim), { ...fields, step: "renewing the lease" })
  const leaseLost = Effect.gen(function* () {
    do yield* Effect.sleep(mediaLeaseMs / 3)
    while (yield* stillAt)
  })
  yield* Effect.raceFirst(runJob(resources, claim), leaseLost).pipe(
    Effect.onInterrupt(() => media.giveBack(claim)),
    Effect.catchCause((cause) =>
      Effect.logError("media job failed unexpectedly; another worker takes it when its lease ends", fields, cause)
    )
  )
})
