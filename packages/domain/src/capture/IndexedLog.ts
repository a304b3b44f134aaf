import type { LogEvent, LogHeader } from "./log.ts"

/**
 * A log that was checked, and of which only the places of its events are in memory. An event is parsed again when it is read: as
 * objects, the events of a large file take many times its size.
 */
export interface IndexedLog {
  readonly header: LogHeader
  readonly count: number
  /** The nth event by `seq`, from 0. */
  readonly event: (nth: number) => LogEvent
}

/** Numbers in a typed array that grows. */
export class NumberList {
  length = 0
  private numbers = new Float64Array(1_024)

  push(number: number): void {
    if (this.length === this.numbers.length) {
      const grown = new Float64Array(2 * this.length)
      grown.set(this.numbers)
      this.numbers = grown
    }
    this.numbers[this.length++] = number
  }

  at(index: number): number {
    return this.numbers[index]!
  }
}
