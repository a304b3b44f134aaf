import { expect, test } from "vitest"
import { type Capture, type CaptureState, claimedCapture, isCapturing, noLogUse } from "../../src/capture/index.ts"
import { AccountId, type Instant, RecordingUuid } from "../../src/index.ts"

const at = (ms: number) => (1_000_000 + ms) as Instant

const aCapture = (known: Partial<Capture>): Capture => ({
  id: "a",
  accountId: AccountId.make(1),
  recordingUuid: RecordingUuid.make("00000000-0000-4000-8000-000000000001"),
  ownerId: null,
  title: null,
  linkId: null,
  siteId: null,
  folderId: null,
  state: "finishing",
  beganAt: at(0),
  expiresAt: at(0),
  dueAt: at(0),
  fence: 3,
  isClaimed: false,
  maxBytes: 1,
  receivedBytes: 0,
  uploads: [],
  streams: [],
  use: noLogUse,
  redactions: {},
  lastPiece: 0,
  videoPieces: 0,
  pairings: 0,
  ...known
})

const states: Readonly<Record<CaptureState, { readonly isClaimable: boolean; readonly isCapturing: boolean }>> = {
  open: { isClaimable: false, isCapturing: true },
  finishing: { isClaimable: true, isCapturing: true },
  abandoning: { isClaimable: true, isCapturing: true },
  finished: { isClaimable: false, isCapturing: false },
  abandoned: { isClaimable: false, isCapturing: false }
}

test.each(Object.entries(states))("a capture that is %s can be claimed, and goes on: %o", (state, expected) => {
  const capture = aCapture({ state: state as CaptureState })
  const isClaimable = claimedCapture(capture, at(0), at(60)) !== undefined
  expect({ isClaimable, isCapturing: isCapturing(capture) }).toEqual(expected)
})

test("a claim has a fence of its own, and holds until its lease ends", () => {
  const first = claimedCapture(aCapture({}), at(0), at(60))!
  expect(first).toEqual(aCapture({ fence: 4, isClaimed: true, dueAt: at(60) }))
  expect(claimedCapture(first, at(59), at(119))).toBeUndefined()
  expect(claimedCapture(first, at(60), at(120))).toEqual({ ...first, fence: 5, dueAt: at(120) })
})

test("a claim that was given up is followed by another one at once", () => {
  const released = aCapture({ fence: 4, dueAt: at(60) })
  expect(claimedCapture(released, at(1), at(61))).toEqual({ ...released, fence: 5, isClaimed: true, dueAt: at(61) })
})
