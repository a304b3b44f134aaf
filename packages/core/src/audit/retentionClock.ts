import type { Instant } from "@tapedeck/domain"
import { Clock, Effect } from "effect"
import { now } from "../now.ts"
import { Store } from "../Store.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** What both clocks say at one moment. The monotonic one is not set by anybody. */
interface Reading {
  readonly at: Instant
  readonly monotonicMs: number
}

const read = Effect.gen(function* () {
  const { monotonicTimeNanosUnsafe } = yield* Clock.Clock
  const reading: Reading = { at: yield* now, monotonicMs: Number(monotonicTimeNanosUnsafe() / 1_000_000n) }
  return reading
})

/** How far the clock was set forward between two readings, in milliseconds. */
const jumpBetween = (earlier: Reading, later: Reading): number =>
  later.at - earlier.at - (later.monotonicMs - earlier.monotonicMs)

/**
 * How far the clock is ahead of the newest audit entry; 0 where there is none. What was made in the last hour does not
 * count: a process that was started again would trust what it has just written by a wrong clock.
 */
const aheadOfEntries = Effect.fnUntraced(function* (at: Instant) {
  const { auditEntries } = yield* Store
  const newest = yield* auditEntries.newestUntil((at - hourMs) as Instant)
  return newest === undefined ? 0 : at - newest
})

/**
 * The time by which retention may remove things, or null while the clock is not trusted. A clock that is a day or more
 * ahead of where the last run expects it, or, at the first run, of the newest audit entry, is looked at again: it is
 * trusted once it has kept going for an hour. A clock that goes back removes less, and is trusted at once.
 */
export const makeRetentionClock = () => {
  let trusted: Reading | undefined
  let doubted: Reading | undefined
  return Effect.gen(function* () {
    const reading = yield* read
    const jumpMs = trusted === undefined ? yield* aheadOfEntries(reading.at) : jumpBetween(trusted, reading)
    if (jumpMs > dayMs) {
      if (doubted === undefined || Math.abs(jumpBetween(doubted, reading)) > dayMs) {
        doubted = reading
        const days = Math.floor(jumpMs / dayMs)
        yield* Effect.logWarning(`nothing is pruned for an hour: the clock is ${days} days ahead of what was expected`)
        return null
      }
      if (reading.monotonicMs - doubted.monotonicMs < hourMs) return null
    }
    trusted = reading
    doubted = undefined
    return reading.at
  })
}
