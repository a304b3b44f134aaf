import type { LogEvent } from "@tapedeck/domain/capture"
import type { Patches } from "./patches.ts"

type WithoutPlace<Event> = Event extends LogEvent ? Omit<Event, "seq" | "t"> : never

/** An event of the page's log, as it happened: not redacted, and without its place in a log. */
export type PageEvent = WithoutPlace<LogEvent>

/** An event, and when it began, in milliseconds since 1970. */
export interface TimedEvent {
  readonly at: number
  readonly event: PageEvent
}

/** What the parts of a recorder share. */
export interface Recording {
  readonly patches: Patches
  readonly add: (event: PageEvent, at?: number) => void
  readonly isOwn: (url: string) => boolean
  readonly keepsBody: (url: string) => boolean
  readonly isMasked: (element: Element) => boolean
}
