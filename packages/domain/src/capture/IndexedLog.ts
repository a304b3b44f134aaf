import type { LogEvent, LogHeader } from "./log.ts"

/**
 * A checked log, of which only the text and the positions of the events are in memory. An event is parsed again on each read, because
 * the parsed events of a large file take many times its size.
 */
export interface IndexedLog {
  readonly header: LogHeader
  readonly count: number
  /** Returns the nth event in the order of `seq`, counted from 0. */
  readonly event: (nth: number) => LogEvent
}

/** A list of numbers in a growing typed array. */
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
