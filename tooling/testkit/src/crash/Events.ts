/**
 * Counts what happens, and does something at a chosen one: moments are chosen by events and not by time, so that a seed means
 * the same on a slow machine.
 */
export class Events {
  count = 0
  private at = Number.POSITIVE_INFINITY
  private action: () => void = () => {}

  /** Calls `action` when so many more events have happened, in that very moment; completes then. */
  after(more: number, action: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.at = this.count + more
      this.action = () => {
        action()
        resolve()
      }
    })
  }

  happened(): void {
    this.count += 1
    if (this.count < this.at) return
    this.at = Number.POSITIVE_INFINITY
    this.action()
  }
}
