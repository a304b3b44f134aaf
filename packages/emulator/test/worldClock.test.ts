import { Instant } from "@tapedeck/domain"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { virtualClock } from "../src/clock/VirtualClock.ts"
import { WorldClock } from "../src/clock/WorldClock.ts"

const start = Instant.make(1_000_000)
const later = (ms: number) => Instant.make(start + ms)

/** A world's clock on wall time that the test moves. */
const worldClock = () => {
  let wallMs = 500
  const clock = new WorldClock(
    start,
    virtualClock(() => Instant.make(wallMs))
  )
  return {
    clock,
    now: (nextDue?: Instant) => clock.now(nextDue) - start,
    wallPasses: (ms: number) => {
      wallMs += ms
    }
  }
}

describe("A world's clock", () => {
  test("stands still in real time until it is set, and cannot be set back", () => {
    const { clock, now, wallPasses } = worldClock()
    wallPasses(10_000)
    expect(now()).toBe(0)
    clock.set(later(60_000))
    clock.set(later(30_000))
    expect([now(), clock.rate]).toEqual([60_000, null])
  })

  test("advances with real time, multiplied by its rate, in whole milliseconds", () => {
    const { clock, now, wallPasses } = worldClock()
    clock.run(60)
    wallPasses(1_000)
    expect([now(), clock.rate]).toEqual([60_000, 60])
    clock.stop(undefined)
    wallPasses(1_000)
    expect(now()).toBe(60_000)
    clock.run(0.5)
    wallPasses(3)
    expect(now()).toBe(60_001)
  })

  test("does not pass events that are due and have not fired, and catches up afterwards", () => {
    const { clock, now, wallPasses } = worldClock()
    clock.run(1)
    wallPasses(5_000)
    expect(now(later(3_000))).toBe(3_000)
    expect(now(later(9_000))).toBe(5_000)
    expect(clock.carried()).toBe(later(5_000))
    // What was due before the clock ran is overdue, and takes nothing back.
    clock.stop(undefined)
    expect(now(later(1_000))).toBe(5_000)
  })

  test("stops at its present time, before the next event", () => {
    const { clock, now, wallPasses } = worldClock()
    clock.run(1)
    wallPasses(5_000)
    clock.stop(later(3_000))
    expect(now()).toBe(3_000)
  })

  test("stands still during a move, except for the move itself, and continues from there", () => {
    const { clock, now, wallPasses } = worldClock()
    clock.run(2)
    wallPasses(1_000)
    const { endMove } = clock.beginMove(undefined)
    expect([now(), clock.movedBy]).toEqual([2_000, "call"])
    // A receiver takes its time.
    wallPasses(10_000)
    expect(now()).toBe(2_000)
    clock.set(later(60_000))
    expect(now()).toBe(60_000)
    endMove()
    expect([now(), clock.movedBy]).toEqual([60_000, null])
    wallPasses(1_000)
    expect(now()).toBe(62_000)
  })

  test("keeps the time that passed before a smaller move", () => {
    const { clock, now, wallPasses } = worldClock()
    clock.run(1)
    wallPasses(5_000)
    const { endMove } = clock.beginMove(later(3_000))
    expect(now()).toBe(3_000)
    wallPasses(1_000)
    endMove()
    expect([now(), now(later(4_000))]).toEqual([5_000, 4_000])
  })

  test("stays stopped or at its new rate after a move during which that was set", () => {
    const { clock, now, wallPasses } = worldClock()
    clock.run(1)
    const first = clock.beginMove(undefined)
    clock.stop(undefined)
    first.endMove()
    wallPasses(1_000)
    expect([now(), clock.rate]).toEqual([0, null])
    const second = clock.beginMove(undefined)
    clock.run(10)
    second.endMove()
    wallPasses(1_000)
    expect([now(), clock.rate]).toEqual([10_000, 10])
  })

  test("is set back by a reset only, and keeps running if it ran", () => {
    const { clock, now, wallPasses } = worldClock()
    clock.set(later(60_000))
    clock.restart(start)
    wallPasses(1_000)
    expect([now(), clock.rate]).toEqual([0, null])
    clock.run(2)
    wallPasses(5_000)
    clock.restart(start)
    expect([now(), clock.rate]).toEqual([0, 2])
    wallPasses(500)
    expect(now()).toBe(1_000)
  })

  test("ends at the last instant that can be written, at any rate", () => {
    const { clock, wallPasses } = worldClock()
    for (const rate of [1e12, 1e300, Number.MAX_VALUE]) {
      clock.run(rate)
      wallPasses(86_400_000)
      expect(new Date(clock.now(undefined)).toISOString()).toBe("9999-12-31T23:59:59.999Z")
      clock.restart(start)
    }
  })

  test("never decreases, whatever the operations", () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant("wall" as const), ms: fc.nat(10_000) }),
      fc.record({ does: fc.constant("run" as const), rate: fc.double({ min: 0.01, max: 1_000, noNaN: true }) }),
      fc.record({ does: fc.constantFrom("stop" as const, "begin" as const, "end" as const) }),
      fc.record({ does: fc.constant("set" as const), ms: fc.nat(100_000) })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { clock, now, wallPasses } = worldClock()
        let move: ReturnType<WorldClock["beginMove"]> | undefined
        let last = now()
        for (const done of steps) {
          if (done.does === "wall") wallPasses(done.ms)
          else if (done.does === "run") {
            clock.stop(undefined)
            clock.run(done.rate)
          } else if (done.does === "set") clock.set(later(done.ms))
          else if (done.does === "stop") clock.stop(undefined)
          else if (done.does === "begin") move ??= clock.beginMove(undefined)
          else {
            move?.endMove()
            move = undefined
          }
          expect(now()).toBeGreaterThanOrEqual(last)
          last = now()
        }
      })
    )
  })
})
