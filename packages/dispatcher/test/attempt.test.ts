import { expect, test } from "vitest"
import { afterAttempt } from "../src/attempt.ts"
import { aDelivery, answered, instantAfter, startInstant } from "./examples.ts"

test("an attempt has a duration of at least 0, even if the clock was set back during it", () => {
  const state = {
    _tag: "Attempting",
    attempt: 1,
    startedAt: instantAfter(50),
    firstAttemptAt: instantAfter(50),
    cancelRequested: false
  } as const
  const request = { method: "POST", url: "https://receiver.test/", headers: [], body: "" } as const
  const { attempts } = afterAttempt(aDelivery({ state }), { ...answered(200), request }, startInstant)
  expect(attempts.map(({ at, endedAt }) => [at, endedAt])).toEqual([[instantAfter(50), instantAfter(50)]])
})
