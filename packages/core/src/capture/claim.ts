import type { Instant } from "@tapedeck/domain"
import { type Capture, claimedCapture } from "@tapedeck/domain/capture"
import { Effect, Schema } from "effect"
import { now } from "../now.ts"
import { storeOf } from "../store/Store.ts"

/** Lease of a claim to complete a capture; also the time that a failed completion waits for the next try. */
const completionLeaseMs = 60_000

/** Another process has claimed the capture, or it was removed. */
export class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", {}) {
  override get message() {
    return "The capture's completion was claimed by another process"
  }
}

const leaseEnd = Effect.map(now, (at) => (at + completionLeaseMs) as Instant)

/** Claims the completion of a closed capture; undefined: another process has it, or nothing is to be completed. Inside the transaction. */
export const claimCapture = Effect.fnUntraced(function* (id: string) {
  const { captures } = yield* storeOf("captures")
  const capture = yield* captures.byId(id)
  const claimed = capture && claimedCapture(capture, yield* now, yield* leaseEnd)
  if (claimed !== undefined) yield* captures.save(claimed)
  return claimed
})

/** The capture as it is now, if the claim still holds it. Inside the transaction. */
export const heldCapture = Effect.fnUntraced(function* ({ fence, id }: Capture) {
  const { captures } = yield* storeOf("captures")
  const capture = yield* captures.byId(id)
  return capture?.isClaimed === true && capture.fence === fence ? capture : undefined
})

/** `renew` renews the claim if a third of its lease has passed. */
export const leaseRenewal = Effect.fnUntraced(function* (claim: Capture) {
  const store = yield* storeOf("captures", "transaction")
  const renewal = { at: yield* now }
  const renew = Effect.gen(function* () {
    const capture = yield* heldCapture(claim)
    if (capture === undefined) return yield* new ClaimLost()
    yield* store.captures.save({ ...capture, dueAt: yield* leaseEnd })
  })
  const renewInTime = Effect.gen(function* () {
    const at = yield* now
    if (at - renewal.at < completionLeaseMs / 3) return
    yield* store.transaction(renew)
    renewal.at = at
  })
  return { renew: renewInTime }
})

/** Releases a claim, so that another process can complete the capture: at once on request, else when the lease would have ended. */
export const releaseCapture = Effect.fnUntraced(function* (claim: Capture) {
  const { captures } = yield* storeOf("captures")
  const capture = yield* heldCapture(claim)
  if (capture !== undefined) yield* captures.save({ ...capture, isClaimed: false })
})

/** Postpones the failed completion of a capture that is still due as it was. Inside the transaction. */
export const postponeCapture = Effect.fnUntraced(function* ({ dueAt, id }: Capture) {
  const { captures } = yield* storeOf("captures")
  const capture = yield* captures.byId(id)
  if (capture !== undefined && capture.dueAt === dueAt) yield* captures.save({ ...capture, dueAt: yield* leaseEnd })
})
