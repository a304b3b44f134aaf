import { type MediaClaim, MediaJobs, mediaLeaseMs, Store } from "@tapedeck/core"
import { Effect, Fiber, FiberSet } from "effect"
import { type Hands, workOn } from "./work.ts"
import { cleanWorkDirectories } from "./workFiles.ts"

export interface WorkerOptions extends Hands {
  /** How many jobs are in hand at a time: each takes a core, as long as it can have it. */
  readonly concurrency: number
}

/** What is relied on when nobody tells of new work: retries that fall due, leases of workers that were lost. */
const pollMs = 5_000

/** Deliveries change the agenda all the time: no job is so urgent that the store is asked at each change. */
const pauseMs = 250

/**
 * Works on media for as long as it is let. Interrupted, it stops what it started and gives back what it has in hand, for
 * the next worker to take at once.
 */
export const mediaWorker = ({ concurrency, ...hands }: WorkerOptions) =>
  Effect.gen(function* () {
    const store = yield* Store
    const media = yield* MediaJobs
    const underWay = yield* FiberSet.make()
    yield* cleanWorkDirectories(hands.directory)

    const take = Effect.gen(function* () {
      const free = concurrency - (yield* FiberSet.size(underWay))
      if (free === 0) return
      for (const claim of yield* media.claim(free)) yield* FiberSet.run(underWay, perform(hands, claim))
    }).pipe(Effect.catchCause((cause) => Effect.logError("the store broke off; media jobs are asked for again", cause)))

    const turn = Effect.gen(function* () {
      const changed = yield* Effect.forkChild(store.agenda.changed, { startImmediately: true })
      yield* take
      // A job that ends makes room for the next.
      const roomier = Effect.andThen(awaitAny(underWay), Effect.void)
      yield* Effect.raceFirst(Effect.raceFirst(Effect.sleep(pollMs), Fiber.join(changed)), roomier)
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

/** With a sign of life from time to time; when the job is asked for no more, the work stops. */
const perform = Effect.fnUntraced(function* (hands: Hands, claim: MediaClaim) {
  const media = yield* MediaJobs
  const alive = Effect.gen(function* () {
    do yield* Effect.sleep(mediaLeaseMs / 3)
    while (yield* media.stillAt(claim))
  })
  yield* Effect.raceFirst(workOn(hands, claim), alive).pipe(
    Effect.onInterrupt(() => media.giveBack(claim)),
    Effect.catchCause((cause) =>
      Effect.logError(`a media job of recording ${claim.job.recordingUuid} broke off; its lease will end`, cause)
    )
  )
})
