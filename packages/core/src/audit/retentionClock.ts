import type { Instant } from "@tapedeck/domain"
import { Clock, Effect } from "effect"
import { now } from "../now.ts"
import { storeOf } from "../store/Store.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Both clocks at one moment. The monotonic clock cannot be set. */
interface Reading {
  readonly at: Instant
  readonly monotonicMs: number
}

const read = Effect.gen(function* () {
  const { monotonicTimeNanosUnsafe } = yield* Clock.Clock
  const reading: Reading = { at: yield* now, monotonicMs: Number(monotonicTimeNanosUnsafe() / 1_000_000n) }
  return reading
})

/** Milliseconds by which the clock was set forward between two readings. */
const jumpBetween = (earlier: Reading, later: Reading): number =>
  later.at - earlier.at - (later.monotonicMs - earlier.monotonicMs)

/**
 * Milliseconds by which the clock is ahead of the newest audit entry; infinite without entries, as nothing confirms the clock. Entries
 * of the last hour do not count, because a restarted process would otherwise trust entries that it wrote by a wrong clock.
 */
const aheadOfEntries = Effect.fnUntraced(function* (at: Instant) {
  const { auditEntries } = yield* storeOf("auditEntries")
  const newest = yield* auditEntries.newestUntil((at - hourMs) as Instant)
  return newest === undefined ? Number.POSITIVE_INFINITY : at - newest
})

/**
 * Returns the time by which retention may remove records, or null while the clock is not trusted. A clock that is a day or more
 * ahead of the time that the last run expects, or, at the first run, of the newest audit entry, is checked again, as is one that no
 * entry confirms: it is trusted after it has run for an hour. A clock that is set back between two runs removes less, and is trusted
 * at once.
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
        // A new data directory has no entries.
        if (jumpMs !== Number.POSITIVE_INFINITY) {
          const days = Math.floor(jumpMs / dayMs)
          yield* Effect.logWarning("nothing is pruned for an hour", { reason: "the clock jumped ahead", days })
        }
        return null
      }
      if (reading.monotonicMs - doubted.monotonicMs < hourMs) return null
    }
    trusted = reading
    doubted = undefined
    return reading.at
  })
}
