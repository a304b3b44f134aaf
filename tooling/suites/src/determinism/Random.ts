/** A seeded source of choices (mulberry32): the same seed, the same choices, on any machine. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** 32 bits. */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  /** An integer of `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + (this.next() % (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability * 2 ** 32
  }

  pick<T>(choices: ReadonlyArray<T>): T {
    if (choices.length === 0) throw new Error("nothing to pick from")
    return choices[this.integer(0, choices.length - 1)] as T
  }

  /** One of the choices, each as often as its weight. */
  weighted<T>(choices: ReadonlyArray<readonly [weight: number, choice: T]>): T {
    let left = this.integer(
      1,
      choices.reduce((sum, [weight]) => sum + weight, 0)
    )
    for (const [weight, choice] of choices) {
      left -= weight
      if (left <= 0) return choice
    }
    throw new Error("nothing to pick from")
  }

  /** From none to `most` items, each made anew. */
  list<T>(least: number, most: number, make: (index: number) => T): ReadonlyArray<T> {
    return Array.from({ length: this.integer(least, most) }, (_, index) => make(index))
  }

  text(): string {
    return this.pick([
      "Checkout fails",
      "",
      "a",
      "Größe ☕ 𝄞",
      '"quoted" {{x}} \\ /',
      "<b>&amp;</b>",
      "line\nline\ttab",
      "x".repeat(this.integer(1, 300))
    ])
  }

  uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.next().toString(16).padStart(8, "0")).join("")
    return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join(
      "-"
    )
  }
}
