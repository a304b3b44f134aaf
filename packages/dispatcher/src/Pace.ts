import { add } from "./counts.ts"

/** A pace is told for so long a time, ms. */
const spanMs = 25

/** What ended in one span of time. */
interface Span {
  readonly nth: number
  readonly byHost: Map<string, number>
  total: number
}

const emptySpan = (nth: number): Span => ({ nth, byHost: new Map(), total: 0 })

/** How many attempts end in 25 ms, as it was in the span of time before, or is in this one if that is more already. */
export class Pace {
  private readonly nowMs: () => number
  private before = emptySpan(Number.NEGATIVE_INFINITY)
  private current = emptySpan(Number.NEGATIVE_INFINITY)

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
  }

  ended(host: string) {
    this.turn()
    this.current.total++
    add(this.current.byHost, host, 1)
  }

  /** At all hosts. */
  get total(): number {
    this.turn()
    return Math.max(this.before.total, this.current.total)
  }

  at(host: string): number {
    this.turn()
    return Math.max(this.before.byHost.get(host) ?? 0, this.current.byHost.get(host) ?? 0)
  }

  private turn() {
    const nth = Math.floor(this.nowMs() / spanMs)
    if (nth === this.current.nth) return
    this.before = nth === this.current.nth + 1 ? this.current : emptySpan(nth - 1)
    this.current = emptySpan(nth)
  }
}
