import type { LogEvent } from "@tapedeck/domain/capture"
import type { Patches } from "./patches.ts"

type WithoutPlace<Event> = Event extends LogEvent ? Omit<Event, "seq" | "t"> : never

/** An event of the page, not redacted, and without its position in a log. */
export type PageEvent = WithoutPlace<LogEvent>

/** An event, and its start in milliseconds since 1970. */
export interface TimedEvent {
  readonly at: number
  readonly event: PageEvent
}

/** Context that the parts of a recorder share. */
export interface Recording {
  readonly patches: Patches
  readonly add: (event: PageEvent, at?: number) => void
  readonly isOwn: (url: string) => boolean
  readonly keepsBody: (url: string) => boolean
  readonly isMasked: (element: Element) => boolean
}
