import { describe, expect, it } from "vitest"
import type { Delivery } from "../../src/index.ts"
import {
  type AttemptTally,
  attemptStatistics,
  healthAfter,
  tallyOf,
  unknownHealth
} from "../../src/internal/delivery.ts"

const ended = (outcome: string, ms: number, tag: string, changes: object = {}): Delivery =>
  ({
    accountId: 1,
    automationId: "crm",
    destinationId: null,
    test: false,
    state: { _tag: tag },
    attempts: [{ at: 3_600_000, endedAt: 3_600_000 + ms, outcome }],
    ...changes
  }) as unknown as Delivery

const counted = (...deliveries: ReadonlyArray<Delivery>) =>
  attemptStatistics(deliveries.map((one) => [tallyOf(one, 0)!.measure, 1] as const))

describe("the counters of attempts", () => {
  it("count attempts by result, and estimate the percentiles of durations within a bucket", () => {
    const fast = Array.from({ length: 94 }, () => ended("success", 40, "Delivered"))
    const slow = Array.from({ length: 6 }, () => ended("timeout", 10_000, "Waiting"))
    const { counts, p50Ms, p95Ms } = counted(...fast, ...slow, ended("failure", 40, "PermanentlyFailed"))
    expect(counts).toEqual({ delivered: 94, retried: 6, permanently_failed: 1, cancelled: 0 })
    expect(p50Ms).toBeGreaterThan(30)
    expect(p50Ms).toBeLessThanOrEqual(50)
    expect(p95Ms).toBeGreaterThan(7_500)
    expect(p95Ms).toBeLessThanOrEqual(10_000)
  })

  it("have no percentile without attempts of a known duration", () => {
    expect(attemptStatistics([])).toMatchObject({ p50Ms: null, p95Ms: null })
    const lost = counted(ended("lost", 60_000, "Waiting"))
    expect(lost).toMatchObject({ counts: { retried: 1 }, p50Ms: null, p95Ms: null })
    expect(counted(ended("timeout", 900_000, "Waiting")).p50Ms).toBe(300_000)
  })

  it("belong to the hour in which the attempt ended, and to its receiver", () => {
    expect(tallyOf(ended("success", 3_600_000, "Delivered"), 0)).toMatchObject({ hour: 7_200_000, receiver: "a:crm" })
    const toDestination = ended("success", 5, "Delivered", { automationId: null, destinationId: "siem" })
    expect(tallyOf(toDestination, 0)).toMatchObject({ hour: 3_600_000, receiver: "d:siem" })
  })

  it("do not count send-tests, nor settlements without an attempt", () => {
    expect(tallyOf(ended("success", 5, "Delivered", { test: true }), 0)).toBeUndefined()
    expect(tallyOf(ended("success", 5, "Scheduled"), 1)).toBeUndefined()
  })
})

describe("the health of a receiver", () => {
  it("is failing since the first failure after the last success", () => {
    const after = (outcomes: string) =>
      [...outcomes].reduce(
        (health, one, index) => healthAfter(health, { at: index, isSuccess: one === "+" } as AttemptTally),
        unknownHealth
      )
    expect(after("--")).toEqual({ lastSuccessAt: null, failingSince: 0, failedInARow: 2 })
    expect(after("--+")).toEqual({ lastSuccessAt: 2, failingSince: null, failedInARow: 0 })
    expect(after("--+---")).toEqual({ lastSuccessAt: 2, failingSince: 3, failedInARow: 3 })
  })
})
