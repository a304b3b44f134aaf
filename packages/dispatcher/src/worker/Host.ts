export interface SlotLimits {
  /** Maximum number of attempts that occupy a slot at a time. */
  readonly concurrency: number
  /** Maximum number of attempts at one host. The limit of a host grows to it by one with each answer. */
  readonly perHost: number
  /**
   * Maximum number of attempts at a host that has not answered yet, or did not answer the last attempt, so that such hosts leave slots to
   * hosts that answer, including those of the same account.
   */
  readonly perNewHost: number
}

/**
 * Phase of an attempt. `prefetched`: claimed, and waiting for a slot. `active`: occupying a slot. `recording`: the receiver has answered,
 * or the claim is being returned; the slot is free while that is recorded.
 */
export type Phase = "prefetched" | "active" | "recording" | "ended"

/** Length of the windows in which throughput is measured, in milliseconds. */
const windowMs = 25

/** Maximum number of prefetched attempts. */
const maxPrefetched = 512

/** Number of attempts in flight at a host, and its limit, which depends on its answers. */
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
   * Number of attempts that may still be prefetched. The total is the number of answers in 25 ms, so that each attempt starts within about
   * that time: in the last full window, or in the present one if it already has more.
   */
  get prefetchRoom(): number {
    const { current, previous } = this.recentAnswers()
    return Math.max(0, Math.min(Math.max(previous, current), maxPrefetched) - this.counts.prefetched)
  }

  /** Records the end of an attempt, with or without a complete answer. */
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
