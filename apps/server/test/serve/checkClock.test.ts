import { emptyWorld, makeMemoryStore, storeLayer } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { checkClock } from "../../src/serve/start/checkClock.ts"

/** The start's log at 1970, with a newest audit entry of this time. */
const logWith = async (newest: number | undefined) => {
  const log: Array<unknown> = []
  const { store } = makeMemoryStore(emptyWorld())
  const newestUntil = () => Effect.succeed(newest as Instant | undefined)
  const layers = Layer.mergeAll(
    storeLayer({ ...store, auditEntries: { ...store.auditEntries, newestUntil } }),
    Logger.layer([Logger.make(({ message }) => void log.push(...[message].flat()))]),
    TestClock.layer()
  )
  await Effect.runPromise(Effect.provide(checkClock, layers))
  return log
}

test("a start whose clock is more than a minute behind the newest audit entry logs a warning with the remedy", async () => {
  expect(await logWith(undefined)).toEqual([])
  expect(await logWith(60_000)).toEqual([])
  expect(await logWith(60_001)).toEqual([
    "clock is behind the data",
    {
      clock: "1970-01-01T00:00:00.000Z",
      newest_entry: "1970-01-01T00:01:00.001Z",
      behind_seconds: 60,
      remedy: expect.stringContaining("set the clock of this machine")
    }
  ])
})
