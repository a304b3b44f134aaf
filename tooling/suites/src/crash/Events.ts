/**
 * Counts what happens, and does something at a chosen one: moments are chosen by events and not by time, so that a seed means
 * the same on a slow machine.
 */
export class Events {
  count = 0
  private waiting: ReadonlyArray<{ readonly at: number; readonly action: () => void }> = []

  /** Calls `action` when so many more events have happened, in that very moment; completes then. */
  after(more: number, action: () => void): Promise<void> {
    return new Promise((resolve) => {
      const then = () => {
        action()
        resolve()
      }
      this.waiting = [...this.waiting, { at: this.count + more, action: then }]
    })
  }

  happened(): void {
    this.count += 1
    const due = this.waiting.filter(({ at }) => at <= this.count)
    if (due.length === 0) return
    this.waiting = this.waiting.filter(({ at }) => at > this.count)
    for (const { action } of due) action()
  }
}
