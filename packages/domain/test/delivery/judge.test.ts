import { describe, expect, it } from "vitest"
import { type Attempt, AttemptOutcome, type Instant } from "../../src/index.ts"
import { eventOfOutcome, outcomeOfStatus, testResult } from "../../src/internal/delivery.ts"

const answer = (body: string): Attempt["response"] => ({ headers: [], body, truncated: false })

describe("the outcome of a response", () => {
  it.each([200, 201, 204, 299])("is success for the status %i", (status) =>
    expect(outcomeOfStatus(status)).toBe("success")
  )
  it.each([100, 199, 300, 301, 304, 400, 410, 500])(
    "is failure for the status %i; redirects are not followed (W5)",
    (status) => expect(outcomeOfStatus(status)).toBe("failure")
  )

  it("decides between success and failure of the delivery, whatever stage failed", () => {
    for (const outcome of AttemptOutcome.literals) {
      expect(eventOfOutcome(outcome, 5 as Instant)).toEqual({
        _tag: outcome === "success" ? "AttemptSucceeded" : "AttemptFailed",
        at: 5
      })
    }
  })
})

describe("the result of a send-test (W9)", () => {
  it("is success for 2xx, with a body or without", () => {
    expect(testResult({ outcome: "success", response: answer("") })).toBe("success")
    expect(testResult({ outcome: "success", response: answer("ok") })).toBe("success")
  })

  it("is a warning for any other status with a body", () => {
    expect(testResult({ outcome: "failure", response: answer("no") })).toBe("warning")
  })

  it("is failed for a status without a body, and if there is no response", () => {
    expect(testResult({ outcome: "failure", response: answer("") })).toBe("failed")
    for (const outcome of ["timeout", "reset", "refused", "dns", "tls", "blocked"] as const) {
      expect(testResult({ outcome, response: null })).toBe("failed")
      expect(testResult({ outcome, response: answer("part of a body") })).toBe("failed")
    }
  })
})
