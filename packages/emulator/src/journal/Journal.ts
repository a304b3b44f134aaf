import { AppendLog } from "../AppendLog.ts"
import type { AttemptView } from "../control/schemas.ts"

/** What the journal tells of; `seq` counts from 1 in each world, `at` is virtual. */
export type JournalEntry = {
  readonly seq: number
  readonly at: string
} & JournalNote

/** An entry before it has its place. */
export type JournalNote =
  | {
      readonly kind: "request"
      readonly method: string
      /** Below the world, with its query. */
      readonly path: string
      readonly status: number
      /** The e-mail address of who asked; null where nobody was authenticated. */
      readonly user: string | null
      /** The section or decision that refused it, or the fault that answered it. */
      readonly rule?: string
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
  | { readonly kind: "control"; readonly method: string; readonly path: string; readonly status: number }

export const journalKinds = ["request", "attempt", "transcript", "clock", "fault", "control"] as const

/** An entry as it is kept: its place is its `seq`. A busy world keeps thousands, so what they share is held once. */
interface Kept {
  readonly at: string
  readonly note: JournalNote
}

/** How many entries that are dropped may be held: so many writes share the cost of a cut. */
const surplus = (size: number) => Math.min(size, 1_024) + 64

/** What happened in a world, as an immutable value: a ring that keeps the last `size` entries and counts what it dropped. */
export class Journal {
  static empty(size: number): Journal {
    return new Journal(size, AppendLog.empty(), 0)
  }

  /** Puts a journal back together from what it held. */
  static of(size: number, entries: ReadonlyArray<JournalEntry>, dropped: number): Journal {
    const kept = entries.map(({ seq: _, at, ...note }): Kept => ({ at, note: note as JournalNote }))
    return new Journal(size, AppendLog.of(kept), dropped)
  }

  private readonly size: number
  /** The last entries, and some before them, which are dropped in one go. */
  private readonly log: AppendLog<Kept>
  /** How many entries came before those in `log`. */
  private readonly before: number

  private constructor(size: number, log: AppendLog<Kept>, before: number) {
    this.size = size
    this.log = log
    this.before = before
  }

  /** How many entries were ever written; the last one's `seq`. */
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

  /** The entries that are kept, oldest first, from after `since`. */
  entries(since = 0): ReadonlyArray<JournalEntry> {
    const after = Math.max(since, this.dropped)
    return this.log.from(after - this.before).map(({ at, note }, index) => ({ seq: after + index + 1, at, ...note }))
  }
}
