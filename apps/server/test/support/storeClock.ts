import { Clock, Effect, Fiber, Logger } from "effect"
import { onTestFinished } from "vitest"
import { readConfig } from "../../src/config/Config.ts"
import { generateKey } from "../../src/config/key/keyText.ts"
import { mediaOptionsOf } from "../../src/media/mediaOptions.ts"
import { services } from "../../src/serve/Program.ts"
import { serve } from "../../src/serve/serve.ts"
import { readFixtures } from "../../src/serve/start/fixtures.ts"
import { loadOnce } from "../../src/serve/start/load.ts"

/** A store's clock that is ahead of this machine's, as that of a PostgreSQL server may be. */
const aheadBy = (ms: number): Clock.Clock => {
  const machine = Clock.Clock.defaultValue()
  const millis = () => machine.currentTimeMillisUnsafe() + ms
  const nanos = () => machine.currentTimeNanosUnsafe() + BigInt(ms) * 1_000_000n
  return {
    currentTimeMillis: Effect.sync(millis),
    currentTimeMillisUnsafe: millis,
    currentTimeNanos: Effect.sync(nanos),
    currentTimeNanosUnsafe: nanos,
    monotonicTimeNanos: machine.monotonicTimeNanos,
    monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
    sleep: (duration) => machine.sleep(duration)
  }
}

interface Started {
  readonly fixtures: string
  readonly port?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** A server of this process, with a store in memory whose clock is ahead of the machine's by so much. Gives its origin. */
export const servedAhead = async (ms: number, { environment = {}, fixtures, port = 0 }: Started): Promise<string> => {
  const config = readConfig({ environment, options: { port: String(port), store: "memory", ffmpeg: "off" } })
  const listening = { port }
  const { promise, reject, resolve } = Promise.withResolvers<string>()
  const served = Effect.gen(function* () {
    yield* loadOnce(yield* readFixtures(fixtures), config.vendor)
    const deliveries = { concurrency: config.concurrency, perHost: config.concurrency_per_host }
    const media = mediaOptionsOf(config, null)
    return yield* serve({ config, deliveries, media, temporary: null }, (origin) =>
      Effect.sync(() => {
        listening.port = Number(new URL(origin).port)
        resolve(origin)
      })
    )
  }).pipe(
    Effect.provide(services(config, generateKey(), null, listening)),
    Effect.provideService(Clock.Clock, aheadBy(ms)),
    Effect.provide(Logger.layer([])),
    Effect.tapCause((cause) => Effect.sync(() => reject(cause)))
  )
  const fiber = Effect.runFork(served)
  onTestFinished(() => Effect.runPromise(Fiber.interrupt(fiber)))
  return promise
}
