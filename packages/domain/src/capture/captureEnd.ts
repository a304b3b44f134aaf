import type { Instant } from "../time.ts"
import type { Capture } from "./Capture.ts"

/** Whether its recording is still to get what was captured. */
export const isCapturing = ({ state }: Pick<Capture, "state">): boolean => state !== "finished" && state !== "abandoned"

/**
 * A closed capture, claimed until `leaseEnd`: no other process completes it meanwhile. Undefined: it is open or completed, or another
 * claim holds it.
 */
export const claimedCapture = (capture: Capture, at: Instant, leaseEnd: Instant): Capture | undefined => {
  const isClosed = capture.state === "finishing" || capture.state === "abandoning"
  const isHeld = capture.isClaimed && capture.dueAt !== null && capture.dueAt > at
  return isClosed && !isHeld ? { ...capture, isClaimed: true, fence: capture.fence + 1, dueAt: leaseEnd } : undefined
}
