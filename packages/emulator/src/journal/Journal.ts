import type { MailTry } from "@tapedeck/core"
import type { AttemptView } from "../control/schemas.ts"
import { AppendLog } from "../world/AppendLog.ts"
import type { JournaledBody } from "./RecentBodies.ts"

/** A journal entry. `seq` counts from 1 in each world, `at` is virtual. */
export type JournalEntry = {
  readonly seq: number
  readonly at: string
} & JournalNote

/** An entry before it has a number. */
export type JournalNote =
  | {
      readonly kind: "request"
      readonly method: string
      /** The path below the world, with its query. */
      readonly path: string
      readonly status: number
      /** The e-mail address of the caller; null without authentication. */
      readonly user: string | null
      /** Rule that refused the request, or fault that answered it. */
      readonly rule?: string
      /** Query parameters that the endpoint does not know. */
      readonly unknown_query?: ReadonlyArray<string>
      /** Sender of the request: the console or a program. */
      readonly origin: Exclude<Origin, "control">
      /** Body of the request, with `bodies`: null for a body that is not text or is streamed; absent if it is no longer stored. */
      readonly request?: JournaledBody | null
      readonly response?: JournaledBody | null
    }
  | ({
      readonly kind: "attempt"
      readonly id: string
      readonly automation?: string
      readonly destination?: string
      readonly recording?: string
    } & Omit<AttemptView, "at">)
  | { readonly kind: "transcript"; readonly id: string; readonly status: string }
  | {
      readonly kind: "job"
      /** The kind of the event: `mail`, `capture`, `redelivery`, `retention`, `seal` or `sweep`. */
      readonly job: string
      readonly id: string
      readonly attempt?: number
      readonly outcome: MailTry["outcome"]
    }
  | {
      readonly kind: "clock"
      readonly from: string
      readonly to: string
      readonly mode: "stopped" | "running"
      readonly rate: number
      readonly fired: number
      readonly stopped_by: "max_events" | null
    }
  | {
      readonly kind: "fault"
      readonly id: string
      readonly method: string
      readonly path: string
      readonly outcome: unknown
    }
  | {
      readonly kind: "control"
      readonly method: string
      readonly path: string
      readonly status: number
      /** Caller: `console`, or `control` for a program. */
      readonly origin: Exclude<Origin, "program">
    }

/** Origins of requests: a program, the console, or a program through the control plane. */
export const journalOrigins = ["program", "console", "control"] as const
type Origin = (typeof journalOrigins)[number]

export const journalKinds = ["request", "attempt", "transcript", "job", "clock", "fault", "control"] as const

/** A stored entry; its index gives its `seq`. Entries share equal parts, because a busy world stores thousands. */
interface StoredEntry {
  readonly at: string
  readonly note: JournalNote
}

/** Number of dropped entries that may be retained, so that many writes share the cost of a cut. */
const surplus = (size: number) => Math.min(size, 1_024) + 64

/** The journal of a world as an immutable value: a ring of the last `size` entries that counts the dropped ones. */
export class Journal {
  static empty(size: number): Journal {
    return new Journal(size, AppendLog.empty(), 0)
  }

  /** Restores a journal from its content. */
  static of(size: number, entries: ReadonlyArray<JournalEntry>, dropped: number): Journal {
    const stored = entries.map(({ seq: _, at, ...note }): StoredEntry => ({ at, note: note as JournalNote }))
    return new Journal(size, AppendLog.of(stored), dropped)
  }

  private readonly size: number
  /** The last entries, and some dropped ones before them, which are removed together. */
  private readonly log: AppendLog<StoredEntry>
  /** The number of entries before those in `log`. */
  private readonly before: number

  private constructor(size: number, log: AppendLog<StoredEntry>, before: number) {
    this.size = size
    this.log = log
    this.before = before
  }

  /** The number of entries ever written, which is the last `seq`. */
  get length(): number {
    return this.before + this.log.length
  }

  get dropped(): number {
    return Math.max(this.before, this.length - this.size)
  }

  write(at: string, note: JournalNote): Journal {
    const log = this.log.push({ at, note })
    if (log.length < this.size + surplus(this.size)) return new Journal(this.size, log, this.before)
    return new Journal(this.size, AppendLog.of(log.from(log.length - this.size)), this.length + 1 - this.size)
  }

  /** The stored entries after `since`, oldest first. */
  entries(since = 0): ReadonlyArray<JournalEntry> {
    const after = Math.max(since, this.dropped)
    return this.log.from(after - this.before).map(({ at, note }, index) => ({ seq: after + index + 1, at, ...note }))
  }
}
