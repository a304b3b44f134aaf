/** Ranges of received numbers: pairs of the first and last number, in ascending order. */
export type Stretches = ReadonlyArray<readonly [number, number]>

/** Maximum number of ranges of a stream. If there are more, the first ones are joined to one. */
export const MAX_STRETCHES = 32

interface Numbered {
  readonly seq: number
}

/**
 * Returns the items whose number was not received before, in their order, and the ranges with them. Of several items with the same
 * number, the first one is used. Takes the time of one sort.
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

/** Joins ascending, adjacent ranges. */
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
