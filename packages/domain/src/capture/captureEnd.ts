import type { Instant } from "../time.ts"
import type { Capture } from "./Capture.ts"

/** Returns whether the recording of the capture is still incomplete. */
export const isCapturing = ({ state }: Pick<Capture, "state">): boolean => state !== "finished" && state !== "abandoned"

/**
 * Claims a closed capture until `leaseEnd`, so that no other process completes it. Undefined if the capture is open or completed, or
 * another claim holds it.
 */
export const claimedCapture = (capture: Capture, at: Instant, leaseEnd: Instant): Capture | undefined => {
  const isClosed = capture.state === "finishing" || capture.state === "abandoning"
  const isHeld = capture.isClaimed && capture.dueAt !== null && capture.dueAt > at
  return isClosed && !isHeld ? { ...capture, isClaimed: true, fence: capture.fence + 1, dueAt: leaseEnd } : undefined
}
