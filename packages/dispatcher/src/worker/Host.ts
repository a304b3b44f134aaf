export interface SlotLimits {
  /** Maximum number of attempts that occupy a slot at a time. */
  readonly concurrency: number
  /** Maximum number of them at one host. A host gets there by answering: each answer is worth one more. */
  readonly perHost: number
  /**
   * The same for a host that has not answered yet, or did not answer the last attempt that ended: hosts that do not answer leave slots
   * to those that do, also to those of the same account.
   */
  readonly perNewHost: number
}

/**
 * `prefetched`: claimed, and waits for a slot. `active`: occupies a slot. `recording`: its receiver has answered, or it is given
 * back; its slot is free while that is recorded.
 */
export type Phase = "prefetched" | "active" | "recording" | "ended"

/** Throughput is measured in windows of this length. */
const windowMs = 25

/** Maximum number of prefetched attempts. */
const maxPrefetched = 512

/** How many attempts are in flight at a host, and how many more may be, by its answers. */
export class Host {
  readonly counts: Record<Phase, number> = { prefetched: 0, active: 0, recording: 0, ended: 0 }
  private slots = 0
  private answers = { window: Number.NEGATIVE_INFINITY, previous: 0, current: 0 }
  private readonly limits: SlotLimits
  private readonly nowMs: () => number

  constructor(limits: SlotLimits, nowMs: () => number) {
    this.limits = limits
    this.nowMs = nowMs
    this.learn(false)
  }

  get isIdle(): boolean {
    return this.counts.active + this.counts.prefetched === 0
  }

  get room(): number {
    return this.slots - this.counts.active
  }

  /**
   * How many more may be prefetched: in all as many as were answered in 25 ms, so that each starts in about that time. They are
   * counted in the last full window, or in the present one if that has more already.
   */
  get prefetchRoom(): number {
    const { current, previous } = this.recentAnswers()
    return Math.max(0, Math.min(Math.max(previous, current), maxPrefetched) - this.counts.prefetched)
  }

  /** An attempt ended: with an answer, or without a complete one. */
  learn(hasAnswered: boolean) {
    this.slots = Math.min(hasAnswered ? this.slots + 1 : this.limits.perNewHost, this.limits.perHost)
    if (hasAnswered) this.recentAnswers().current++
  }

  private recentAnswers() {
    const window = Math.floor(this.nowMs() / windowMs)
    const last = this.answers
    const previous = window === last.window + 1 ? last.current : 0
    if (window !== last.window) this.answers = { window, previous, current: 0 }
    return this.answers
  }
}
