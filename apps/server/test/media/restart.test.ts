import { emptyWorld, makeMemoryStore, type Store, useCases } from "@tapedeck/core"
import { Clock, Duration, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { layerMediaWorker } from "../../src/media/media.ts"
import { aDirectory } from "./programs.ts"
import { aJob, sample, servicesOn, uploaded } from "./working.ts"

/** A store whose agenda fails once, as one that is broken does; its claims and its jobs go on. */
const failingOnce = (store: Store): Store => {
  let failures = 0
  const changed = Effect.suspend(() => (failures++ === 0 ? Effect.die(new Error("broken")) : store.agenda.changed))
  return { ...store, agenda: { ...store.agenda, changed } }
}

test("A media worker that ended is started again after 5 seconds, and runs the jobs that are due", async () => {
  const { store } = makeMemoryStore(emptyWorld())
  /** Log lines, and how long is slept. */
  const events: Array<unknown> = []
  const logger = Logger.make(({ message }) => void events.push([message].flat()[0]))
  const options = {
    ffmpeg: "off",
    transcriber: null,
    concurrency: 1,
    timeoutMs: 1000,
    maxSeconds: 60,
    maxFileBytes: 1000,
    maxMemoryBytes: 1_000_000,
    passEnvironment: [],
    directory: aDirectory()
  }
  const body = Effect.gen(function* () {
    const job = aJob("transcribe")
    yield* TestClock.setTime(job.dueAt)
    yield* store.recordings.save(uploaded)
    const clock = yield* Clock.Clock
    const sleep = (duration: Duration.Duration) => {
      events.push(Duration.toMillis(duration))
      return clock.sleep(duration)
    }
    yield* Effect.provideService(Layer.build(layerMediaWorker(options)), Clock.Clock, { ...clock, sleep })
    const until = (isTrue: () => boolean) => Effect.repeat(Effect.yieldNow, { until: () => Effect.sync(isTrue) })
    const slept = () => events[events.indexOf("the media worker ended; it is started again") + 1]
    yield* until(() => events.includes("the media worker ended; it is started again") && slept() !== undefined)
    expect(slept()).toBe(5_000)
    yield* store.mediaJobs.add(job)
    yield* TestClock.adjust(5_000)
    yield* until(() => events.includes("media job failed"))
    expect(yield* store.mediaJobs.ofRecording(sample.uuid)).toEqual([])
  })
  const services = Layer.provideMerge(useCases, servicesOn(failingOnce(store)))
  await Effect.runPromise(
    Effect.provide(Effect.scoped(body), Layer.mergeAll(services, Logger.layer([logger]), TestClock.layer()))
  )
})
