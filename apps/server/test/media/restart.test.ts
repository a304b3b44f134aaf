import { emptyWorld, makeMemoryStore, type Store, useCases } from "@tapedeck/core"
import { Effect, Layer, Logger } from "effect"
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
  const log: Array<unknown> = []
  const isLogged = (line: string) => log.some((message) => [message].flat()[0] === line)
  const logger = Logger.make(({ message }) => void log.push(message))
  const options = {
    ffmpeg: "off",
    transcriber: null,
    concurrency: 1,
    timeoutMs: 1000,
    maxFileBytes: 1000,
    passEnvironment: [],
    directory: aDirectory()
  }
  const body = Effect.gen(function* () {
    const job = aJob("transcribe")
    yield* TestClock.setTime(job.dueAt)
    yield* store.recordings.save(uploaded)
    yield* Layer.build(layerMediaWorker(options))
    const until = (isTrue: Effect.Effect<boolean>) => Effect.repeat(Effect.yieldNow, { until: () => isTrue })
    yield* until(Effect.sync(() => isLogged("the media worker ended; it is started again")))
    yield* store.mediaJobs.add(job)
    yield* TestClock.adjust(4_999)
    expect(isLogged("media job failed")).toBe(false)
    yield* until(Effect.map(TestClock.adjust(1_000), () => isLogged("media job failed")))
    expect(yield* store.mediaJobs.ofRecording(sample.uuid)).toEqual([])
  })
  const services = Layer.provideMerge(useCases, servicesOn(failingOnce(store)))
  await Effect.runPromise(
    Effect.provide(Effect.scoped(body), Layer.mergeAll(services, Logger.layer([logger]), TestClock.layer()))
  )
})
