/**
 * A list that only grows, as an immutable value: `push` returns a new one in constant time. The values of one history share one
 * array; a second branch from an older value (a fork) gets its own.
 */
export class AppendLog<Item> {
  static empty<Item>(): AppendLog<Item> {
    return new AppendLog<Item>([], 0)
  }

  /** The items. Do not change them. */
  static of<Item>(items: Array<Item>): AppendLog<Item> {
    return new AppendLog(items, items.length)
  }

  readonly length: number
  private readonly shared: Array<Item>

  private constructor(shared: Array<Item>, length: number) {
    this.shared = shared
    this.length = length
  }

  push(item: Item): AppendLog<Item> {
    // The empty list of a reset must not retain everything that was written since.
    const isLast = this.length > 0 && this.shared.length === this.length
    const shared = isLast ? this.shared : this.shared.slice(0, this.length)
    shared.push(item)
    return new AppendLog(shared, this.length + 1)
  }

  at(index: number): Item | undefined {
    return index < this.length ? this.shared[index] : undefined
  }

  toArray(): ReadonlyArray<Item> {
    return this.from(0)
  }

  /** The items from this index on. */
  from(start: number): Array<Item> {
    return this.shared.slice(start, this.length)
  }
}
