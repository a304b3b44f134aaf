/** Stretches of numbers that have come: pairs of the first and last of each, ascending. */
export type Stretches = ReadonlyArray<readonly [number, number]>

/** Stretches of one stream; of more, the first ones count as one. */
export const MAX_STRETCHES = 32

interface Numbered {
  readonly seq: number
}

/**
 * The items whose number has not come before, in their order, and the stretches with them. Of items with the same number the first
 * counts. Takes the time of one sort.
 */
export const takeUnseen = <Item extends Numbered>(
  seen: Stretches,
  items: ReadonlyArray<Item>
): { readonly unseen: ReadonlyArray<Item>; readonly seen: Stretches } => {
  const isUnseen = new Uint8Array(items.length)
  const after = new Joining()
  let next = 0
  let last = -1
  for (const index of ascending(items)) {
    const { seq } = items[index]!
    for (; next < seen.length && seen[next]![1] < seq; next++) after.add(seen[next]!)
    const hasCome = seq === last || (seen[next]?.[0] ?? Number.POSITIVE_INFINITY) <= seq
    last = seq
    if (hasCome) continue
    isUnseen[index] = 1
    after.add([seq, seq])
  }
  for (; next < seen.length; next++) after.add(seen[next]!)
  return { unseen: items.filter((_, index) => isUnseen[index] === 1), seen: limited(after.stretches) }
}

const ascending = (items: ReadonlyArray<Numbered>): ReadonlyArray<number> =>
  items.map((_, index) => index).sort((a, b) => items[a]!.seq - items[b]!.seq)

/** Joins ascending stretches that follow each other. */
class Joining {
  readonly stretches: Array<readonly [number, number]> = []

  add(stretch: readonly [number, number]): void {
    const before = this.stretches.at(-1)
    if (before !== undefined && stretch[0] <= before[1] + 1) {
      this.stretches[this.stretches.length - 1] = [before[0], Math.max(before[1], stretch[1])]
    } else this.stretches.push(stretch)
  }
}

const limited = (stretches: Stretches): Stretches => {
  const joined = stretches.length - MAX_STRETCHES + 1
  if (joined <= 1) return stretches
  return [[stretches[0]![0], stretches[joined - 1]![1]], ...stretches.slice(joined)]
}
