import type { User } from "../people/User.ts"
import type { Instant } from "../time.ts"
import type { Recording } from "./Recording.ts"

/** Time after its creation for which a recording can be unseen. */
const unseenMs = 30 * 24 * 3_600_000

/**
 * Returns the time until which a recording is unseen for a user who does not open it; null if it counts as seen: it is too old, or
 * older than the user.
 */
export const unseenUntil = (
  { createdAt }: Pick<Recording, "createdAt">,
  user: Pick<User, "createdAt">,
  at: Instant
): Instant | null => {
  const until = (createdAt + unseenMs) as Instant
  return createdAt < user.createdAt || until <= at ? null : until
}
