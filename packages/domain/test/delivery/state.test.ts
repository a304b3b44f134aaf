import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  auditSchedule,
  decideDelivery,
  deliveryStateName,
  folderSchedule,
  isFinalState,
  nextAttemptAt,
  type RetrySchedule
} from "../../src/delivery/index.ts"
import { type DeliveryEvent, DeliveryState, type Instant } from "../../src/index.ts"
import { eventOfOutcome } from "../../src/internal/delivery.ts"

const at = (ms: number): Instant => ms as Instant
const scheduledAt = (ms: number): DeliveryState => ({ _tag: "Scheduled", dueAt: at(ms) })
const scheduled = scheduledAt(0)

const events = {
  started: (ms: number): DeliveryEvent => ({ _tag: "AttemptStarted", at: at(ms) }),
  succeeded: (ms: number): DeliveryEvent => ({ _tag: "AttemptSucceeded", at: at(ms) }),
  failed: (ms: number): DeliveryEvent => ({ _tag: "AttemptFailed", at: at(ms) }),
  givenBack: (ms: number): DeliveryEvent => ({ _tag: "AttemptGivenBack", at: at(ms) }),
  cancelled: (ms: number): DeliveryEvent => ({ _tag: "CancelRequested", at: at(ms) })
}
const everyEvent = Object.values(events)

const after = (schedule: RetrySchedule, ...happened: ReadonlyArray<DeliveryEvent>): DeliveryState =>
  happened.reduce((state, event) => Result.getOrThrow(decideDelivery(state, event, schedule)), scheduled)

/** Starts every attempt when it is due, and lets each take `durationMs` and fail. Gives the starts, and the last state. */
const failThroughout = (schedule: RetrySchedule, durationMs: number) => {
  const starts: Array<number> = []
  let state = scheduled
  for (let due = nextAttemptAt(state); due !== null; due = nextAttemptAt(state)) {
    starts.push(due)
    state = Result.getOrThrow(decideDelivery(state, events.started(due), schedule))
    state = Result.getOrThrow(decideDelivery(state, events.failed(due + durationMs), schedule))
  }
  return { starts, state }
}

const minutes = (...list: ReadonlyArray<number>): ReadonlyArray<number> => list.map((minute) => minute * 60_000)

describe("a folder delivery that always fails", () => {
  const elapsed = minutes(0, 1, 6, 36, 156, 876)

  it.each([0, 15, 30_000, 60_000])("is attempted after the specification's delays if an attempt takes %i ms", (ms) => {
    const { starts, state } = failThroughout(folderSchedule, ms)
    expect(starts).toEqual(elapsed)
    expect(state).toEqual({ _tag: "PermanentlyFailed", at: 876 * 60_000 + ms })
  })

  it("is never attempted again before the previous attempt has ended (W3)", () => {
    const { starts } = failThroughout(folderSchedule, 90_000)
    expect(starts.slice(0, 3)).toEqual([0, 90_000, 390_000])
  })

  it("has a named state for each of retry 1 to 5", () => {
    const state = after(folderSchedule, events.started(5), events.failed(20))
    expect(state).toEqual({ _tag: "Waiting", retry: 1, dueAt: 60_005, firstAttemptAt: 5 })
    expect(Result.getOrThrow(decideDelivery(state, events.started(60_007), folderSchedule))).toEqual({
      _tag: "Attempting",
      attempt: 2,
      startedAt: 60_007,
      firstAttemptAt: 5,
      cancelRequested: false
    })
  })
})

describe("an audit delivery that always fails (A2)", () => {
  const elapsed = minutes(0, 1, 6, 21, 51, 111, 231, 351, 471, 591, 711)

  it.each([0, 1, 6, 10])("makes its first attempt and %i retries, each at its time", (maxRetries) => {
    for (const ms of [0, 1_000]) {
      const { starts, state } = failThroughout(auditSchedule(maxRetries), ms)
      expect(starts).toEqual(elapsed.slice(0, maxRetries + 1))
      expect(state._tag).toBe("PermanentlyFailed")
    }
  })

  it("keeps its schedule if an attempt takes the longest timeout, of 5 minutes", () => {
    const { starts } = failThroughout(auditSchedule(3), 300_000)
    expect(starts).toEqual(minutes(0, 5, 10, 25))
  })

  it("can have 0 to 10 retries", () => {
    for (const wrong of [-1, 11, 0.5, Number.NaN]) expect(() => auditSchedule(wrong)).toThrow(RangeError)
  })
})

describe("a delivery", () => {
  it("is delivered at its first success, at any attempt", () => {
    expect(after(folderSchedule, events.started(0), events.succeeded(3))).toEqual({ _tag: "Delivered", at: 3 })
    expect(
      after(folderSchedule, events.started(0), events.failed(1), events.started(60_000), events.succeeded(60_001))
    ).toEqual({ _tag: "Delivered", at: 60_001 })
  })

  it("counts an attempt whose worker was lost as failed (W15)", () => {
    expect(eventOfOutcome("lost", at(45_000))).toEqual(events.failed(45_000))
  })

  it("has no retries as a send-test (W9)", () => {
    expect(after([], events.started(0), events.failed(1))).toEqual({ _tag: "PermanentlyFailed", at: 1 })
  })

  it("is cancelled at once before an attempt, and between attempts (W11)", () => {
    expect(after(folderSchedule, events.cancelled(9))).toEqual({ _tag: "Cancelled", at: 9 })
    expect(after(folderSchedule, events.started(0), events.failed(1), events.cancelled(9))).toEqual({
      _tag: "Cancelled",
      at: 9
    })
  })

  it("stores a cancellation during an attempt: a success is still delivered, a failure is cancelled (W11)", () => {
    const during = [events.started(0), events.cancelled(1)]
    expect(after(folderSchedule, ...during)).toMatchObject({ _tag: "Attempting", cancelRequested: true })
    expect(after(folderSchedule, ...during, events.succeeded(2))).toEqual({ _tag: "Delivered", at: 2 })
    expect(after(folderSchedule, ...during, events.failed(2))).toEqual({ _tag: "Cancelled", at: 2 })
  })

  it("is not changed by a second cancellation", () => {
    const during = after(folderSchedule, events.started(0), events.cancelled(1))
    expect(Result.getOrThrow(decideDelivery(during, events.cancelled(2), folderSchedule))).toBe(during)
    const cancelled = after(folderSchedule, events.cancelled(1))
    expect(Result.getOrThrow(decideDelivery(cancelled, events.cancelled(2), folderSchedule))).toBe(cancelled)
  })
})

describe("an impossible transition of a delivery", () => {
  const delivered = after(folderSchedule, events.started(0), events.succeeded(1))
  const failed = after([], events.started(0), events.failed(1))
  const cancelled = after(folderSchedule, events.cancelled(1))
  const attempting = after(folderSchedule, events.started(0))
  const waiting = after(folderSchedule, events.started(0), events.failed(1))
  const { started, succeeded, failed: fails, givenBack, cancelled: cancels } = events

  it.each([
    [scheduled, [succeeded, fails, givenBack]],
    [attempting, [started]],
    [waiting, [succeeded, fails, givenBack]],
    [delivered, everyEvent],
    [failed, everyEvent],
    [cancelled, everyEvent.filter((event) => event !== cancels)]
  ])("is refused with the names of state and event: %o", (state, refused) => {
    for (const event of everyEvent) {
      const decision = decideDelivery(state, event(5), folderSchedule)
      expect(Result.isFailure(decision)).toBe(refused.includes(event))
      if (Result.isFailure(decision)) {
        expect(decision.failure).toMatchObject({
          _tag: "ImpossibleDeliveryMove",
          state: state._tag,
          event: event(5)._tag,
          message: `A delivery that is ${state._tag} cannot move on ${event(5)._tag}`
        })
      }
    }
  })
})

describe("any sequence of events of a delivery", () => {
  // Starts and failures come more often, so that many deliveries get as far as their last attempt.
  const happening = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(events.started, events.failed, events.failed) },
    { weight: 1, arbitrary: fc.constantFrom(...everyEvent) }
  )
  const happenings = fc.array(fc.tuple(happening, fc.nat({ max: 100_000_000 })), { maxLength: 60 })
  const schedules = fc.oneof(
    fc.constant(folderSchedule),
    fc.constant([]),
    fc.integer({ min: 0, max: 10 }).map(auditSchedule)
  )
  const knownState = Schema.is(DeliveryState)
  const names = ["scheduled", "attempting", "waiting", "delivered", "permanently_failed", "cancelled"]

  it("ends once, in a specified state, after at most the scheduled number of attempts", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(happenings, schedules, (list, schedule) => {
        let state = scheduled
        let attempts = 0
        let nowMs = 0
        for (const [event, passedMs] of list) {
          nowMs += passedMs
          const decision = decideDelivery(state, event(nowMs), schedule)
          if (Result.isFailure(decision)) continue
          if (isFinalState(state)) expect(decision.success).toBe(state)
          state = decision.success
          seen.add(state._tag)
          if (event(nowMs)._tag === "AttemptStarted") attempts++
          const givenBack = event(nowMs)._tag === "AttemptGivenBack"
          if (givenBack) attempts--
          expect(knownState(state)).toBe(true)
          expect(names).toContain(deliveryStateName(state))
          expect(attempts).toBeLessThanOrEqual(1 + schedule.length)
          if (state._tag === "Waiting") {
            expect(state.retry).toBe(attempts)
            expect(state.retry).toBeLessThanOrEqual(schedule.length)
            if (!givenBack) expect(state.dueAt).toBeGreaterThanOrEqual(nowMs)
          }
          if (state._tag === "Attempting") expect(state.attempt).toBe(attempts)
        }
      }),
      { numRuns: 2_000 }
    )
    expect(seen.size).toBe(names.length)
  })
})

describe("an attempt that is given back unsent", () => {
  it("does not count: the first attempt is due since it was claimed", () => {
    expect(after(folderSchedule, events.started(7), events.givenBack(20))).toEqual(scheduledAt(7))
  })

  it("does not count: the retry keeps its time", () => {
    const state = after(
      folderSchedule,
      events.started(0),
      events.failed(5),
      events.started(60_001),
      events.givenBack(61_000)
    )
    expect(state).toEqual({ _tag: "Waiting", retry: 1, dueAt: 60_001, firstAttemptAt: 0 })
    const failedThen = [events.started(62_000), events.failed(62_001)].reduce(
      (one, event) => Result.getOrThrow(decideDelivery(one, event, folderSchedule)),
      state
    )
    expect(failedThen).toMatchObject({ _tag: "Waiting", retry: 2, dueAt: 62_000 + 5 * 60_000 })
  })

  it("ends the delivery if it was cancelled during the attempt", () => {
    expect(after(folderSchedule, events.started(0), events.cancelled(1), events.givenBack(2))).toEqual({
      _tag: "Cancelled",
      at: 2
    })
  })
})
