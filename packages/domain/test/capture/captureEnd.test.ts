import { Result } from "effect"
import { expect, test } from "vitest"
import { type CaptureEvent, CaptureState, decideCapture, isCapturing, isClosed } from "../../src/capture/index.ts"

const states: Readonly<Record<CaptureState, { readonly isClosed: boolean; readonly isCapturing: boolean }>> = {
  open: { isClosed: false, isCapturing: true },
  finishing: { isClosed: true, isCapturing: true },
  abandoning: { isClosed: true, isCapturing: true },
  finished: { isClosed: false, isCapturing: false },
  abandoned: { isClosed: false, isCapturing: false }
}

test.each(CaptureState.literals)("a capture that is %s is closed, and goes on, as its state says", (state) => {
  expect({ isClosed: isClosed({ state }), isCapturing: isCapturing({ state }) }).toEqual(states[state])
})

/** All events that have an effect. */
const moves: ReadonlyArray<readonly [from: CaptureState, event: CaptureEvent, to: CaptureState]> = [
  ["open", "FinishRequested", "finishing"],
  ["open", "FellSilent", "abandoning"],
  ["finishing", "Joined", "finished"],
  ["abandoning", "Joined", "abandoned"]
]

const events: ReadonlyArray<CaptureEvent> = ["FinishRequested", "FellSilent", "Joined"]

test.each(CaptureState.literals.flatMap((from) => events.map((event) => [from, event] as const)))(
  "a capture that is %s: %s",
  (from, event) => {
    const to = moves.find(([state, cause]) => state === from && cause === event)?.[2]
    const decided = decideCapture(from, event)
    if (to !== undefined) expect(decided).toEqual(Result.succeed(to))
    else
      expect(Result.isFailure(decided) && decided.failure).toMatchObject({ _tag: "CaptureEventIgnored", state: from })
  }
)
