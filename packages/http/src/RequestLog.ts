import type { Caller } from "@tapedeck/core"
import { Context, type Effect } from "effect"

/** A request that was answered. */
export interface RequestLogEntry {
  readonly requestId: string
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  readonly status: number
  /** Null where nobody was authenticated. */
  readonly caller: Caller | null
  /** The section or decision that refused it (`rules.ts`); undefined where it was not refused. */
  readonly rule: string | undefined
}

/** Called once for each request, when its answer is known; null (the default) for no log at all. */
export const RequestLog = Context.Reference<((entry: RequestLogEntry) => Effect.Effect<void>) | null>(
  "@tapedeck/http/RequestLog",
  { defaultValue: () => null }
)
