interface RefusalLimitOptions {
  /** Refusals that one key may have within `perMs`. */
  readonly maxRefusals: number
  readonly perMs: number
  /** Maximum number of keys with their own count; all others share one. */
  readonly maxKeys: number
}

/** The count of one key, from its first refusal on. */
interface Window {
  readonly startedAtMs: number
  refusals: number
}

/** Counts refused requests by address or token, in windows that open with a key's first one. Its memory is bounded. */
export class RefusalCounter {
  private readonly options: RefusalLimitOptions
  /** Windows in the order in which they opened. */
  private readonly windows = new Map<string, Window>()

  constructor(options: RefusalLimitOptions) {
    this.options = options
  }

  /** Returns the time in milliseconds until the key has refusals left; 0 if it has. */
  waitMs(key: string, nowMs: number): number {
    const window = this.openWindow(this.countedKey(key, nowMs), nowMs)
    if (window === undefined || window.refusals < this.options.maxRefusals) return 0
    return window.startedAtMs + this.options.perMs - nowMs
  }

  count(key: string, nowMs: number): void {
    const counted = this.countedKey(key, nowMs)
    const window = this.openWindow(counted, nowMs)
    if (window !== undefined) window.refusals++
    else {
      this.windows.delete(counted)
      this.windows.set(counted, { startedAtMs: nowMs, refusals: 1 })
    }
  }

  private openWindow(key: string, nowMs: number): Window | undefined {
    const window = this.windows.get(key)
    return window !== undefined && this.isOpen(window, nowMs) ? window : undefined
  }

  /** Returns whether the window is open. A window that starts in the future is over, too, because the clock was set back. */
  private isOpen({ startedAtMs }: Window, nowMs: number): boolean {
    return startedAtMs <= nowMs && nowMs < startedAtMs + this.options.perMs
  }

  /** The key itself, unless there are too many others. */
  private countedKey(key: string, nowMs: number): string {
    if (this.windows.has(key)) return key
    for (const [oldest, window] of this.windows) {
      if (this.isOpen(window, nowMs)) break
      this.windows.delete(oldest)
    }
    return this.windows.size < this.options.maxKeys ? key : ""
  }
}
