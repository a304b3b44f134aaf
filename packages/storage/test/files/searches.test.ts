import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { diskKind } from "./onADisk.ts"
import { hashOf, life, type Place, rowsOf, someBytes, write } from "./places.ts"

const bytes = someBytes(5_000)
const other = someBytes(3_000)

it("each hour files without a recording are removed at their age, and stale uploads ended, also after a failure", () => {
  let searches = 0
  /** A place whose second search fails. */
  const failing = (place: Place): Place => ({
    ...place,
    openBytes: Effect.map(place.openBytes, (opened) => ({
      ...opened,
      abortStale: Effect.suspend(() => (++searches === 2 ? Effect.die(new Error("no answer")) : opened.abortStale))
    }))
  })
  const sleeps: Array<number> = []
  const program = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const sleep = (duration: Duration.Duration) => {
      sleeps.push(Duration.toMillis(duration))
      return clock.sleep(duration)
    }
    const place = failing(yield* diskKind.makePlace)
    const until = (isTrue: Effect.Effect<boolean>) => Effect.repeat(Effect.yieldNow, { until: () => isTrue })
    const searching = life(place, (opened) =>
      Effect.gen(function* () {
        const { query, write: writing } = opened.database
        yield* until(Effect.sync(() => searches === 1))
        yield* write(opened, "old", bytes)
        yield* write(opened, "new", other)
        yield* writing(query("UPDATE files SET unattached_since = ? WHERE id = ?", Number.MAX_SAFE_INTEGER, "new"))
        yield* TestClock.adjust("25 hours")
        yield* until(Effect.map(TestClock.adjust("1 minute"), () => searches > 3))
        expect((yield* rowsOf(opened)).files).toMatchObject([["new", hashOf(other), Number.MAX_SAFE_INTEGER]])
      })
    )
    yield* Effect.provideService(searching, Clock.Clock, { ...clock, sleep })
    expect(sleeps.filter((ms) => ms === 3_600_000).length).toBeGreaterThanOrEqual(3)
  })
  return Effect.runPromise(Effect.provide(Effect.scoped(program), TestClock.layer()))
})
