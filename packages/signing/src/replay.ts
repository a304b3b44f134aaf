import { SigningError } from "./errors.ts"

/**
 * What was accepted before. `seen` keeps `id` until `until` (unix seconds) at least, and answers whether it was kept already;
 * both in one step, or two copies of a request that arrive together both pass. In Redis: `SET id 1 NX EXAT until`.
 *
 * The id is that of one attempt, `<webhook-id>.<webhook-timestamp>`. A sender that retries, because the receiver's work failed
 * after its check, sends the same webhook-id with a new timestamp, and must not be refused.
 */
export interface ReplayStore {
  seen(id: string, until: number): boolean | Promise<boolean>
}

/** A replay store that answers at once, as `verifySync` needs. */
export interface SyncReplayStore {
  seen(id: string, until: number): boolean
}

/**
 * A replay store in this process's memory, for a receiver that is one process. When it holds `capacity` ids (10,000 unless
 * told), each new one pushes out the oldest: size it for the deliveries of ten minutes (twice the tolerance).
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
