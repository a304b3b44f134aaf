import { SigningError } from "./errors.ts"

/**
 * Store of accepted attempts. `seen` stores `id` until `until` (Unix time in seconds) or longer, and returns whether it was stored already.
 * Both must be one atomic step; otherwise two simultaneous copies of a request are both accepted. In Redis: `SET id 1 NX EXAT until`.
 *
 * The id is that of an attempt, `<webhook-id>.<webhook-timestamp>`. A retry, after the receiver failed to process a verified attempt, has
 * the same webhook-id with a new timestamp, and must not be refused.
 */
export interface ReplayStore {
  seen(id: string, until: number): boolean | Promise<boolean>
}

/** A synchronous replay store, for `verifySync`. */
export interface SyncReplayStore {
  seen(id: string, until: number): boolean
}

/**
 * Creates a replay store in memory, for a receiver that is a single process. It stores `capacity` ids (default: 10,000); beyond that, each
 * new id replaces the oldest one. Choose a capacity for the deliveries of ten minutes (twice the tolerance).
 */
export const memoryReplayStore = (options: { readonly capacity?: number | undefined } = {}): SyncReplayStore => {
  const { capacity = 10_000 } = options
  if (!Number.isSafeInteger(capacity) || capacity < 1) {
    throw new SigningError("option_invalid", { option: "capacity", expected: "an integer of at least 1" })
  }
  const ids = new Set<string>()
  return {
    seen(id) {
      if (ids.has(id)) return true
      if (ids.size >= capacity) ids.delete(ids.values().next().value as string)
      ids.add(id)
      return false
    }
  }
}
