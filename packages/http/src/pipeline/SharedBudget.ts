/** Divisor of a budget: one caller gets at most this part. */
const shares = 4

/** Bytes of each body and answer that are not counted: all possible connections together take little memory for them. */
export const UNCOUNTED_BYTES = 64 * 1024

/**
 * Memory that all callers share, and of which no caller has more than a quarter, so that one cannot take it from the others. A caller
 * is a user, or an address without a token.
 */
export class SharedBudget {
  readonly maxBytes: number
  heldBytes = 0
  private readonly byCaller = new Map<string, number>()

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  heldBy(caller: string): number {
    return this.byCaller.get(caller) ?? 0
  }

  /** Returns whether all callers together may hold so many more bytes. */
  hasRoomFor(bytes: number): boolean {
    return this.heldBytes + bytes <= this.maxBytes
  }

  /** Returns whether so many more bytes are within the share of a caller. */
  isInShare(caller: string, bytes: number): boolean {
    return this.heldBy(caller) + bytes <= this.maxBytes / shares
  }

  /** Returns whether a caller may hold so many more bytes. */
  admits(caller: string, bytes: number): boolean {
    return this.hasRoomFor(bytes) && this.isInShare(caller, bytes)
  }

  hold(caller: string, bytes: number): void {
    this.heldBytes += bytes
    this.byCaller.set(caller, this.heldBy(caller) + bytes)
  }

  release(caller: string, bytes: number): void {
    this.heldBytes -= bytes
    const left = this.heldBy(caller) - bytes
    if (left > 0) this.byCaller.set(caller, left)
    else this.byCaller.delete(caller)
  }
}
