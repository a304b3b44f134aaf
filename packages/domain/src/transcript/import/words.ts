/** A word with its times in seconds, which are null if the recognizer does not know them. */
export type Word = { readonly word: string; readonly start: number | null; readonly end: number | null }

/** A range of time in seconds. Without an end, it is unlimited. */
interface Stretch {
  readonly start: number
  readonly end: number | null
  /** True if the segment takes words of the whole document. If false, it has its own words. */
  readonly takesWords: boolean
}

/** Returns the words with a time for sorting. A word without a time gets that of the previous word. */
const placed = <One extends Word>(words: ReadonlyArray<One>): ReadonlyArray<readonly [One, number]> => {
  let before = 0
  return words.map((word) => {
    before = word.start ?? before
    return [word, before] as const
  })
}

/**
 * Returns the words of each segment, in the order of their times. A word belongs to at most one segment: the one that started last of
 * those in which the word starts; if there is none, the nearest one before it, else the first. A word that starts only in segments with
 * their own words is omitted. So the result is never larger than the input, however segments overlap.
 */
export const wordsBySegment = <Segment extends Stretch, One extends Word>(
  segments: ReadonlyArray<Segment>,
  words: ReadonlyArray<One>
): ReadonlyMap<Segment, ReadonlyArray<One>> => {
  const byStart = segments.toSorted((one, other) => one.start - other.start)
  const [taking, others] = [byStart.filter((one) => one.takesWords), byStart.filter((one) => !one.takesWords)]
  const taken = new Map<Segment, Array<One>>()
  const [takingAt, othersAt] = [latest(taking), latest(others)]
  for (const [word, start] of placed(words).toSorted(([, one], [, other]) => one - other)) {
    const { latest: own, before } = takingAt(start)
    const covered = othersAt(start).latest !== undefined
    const segment = own ?? (covered ? undefined : (before ?? taking[0]))
    if (segment === undefined) continue
    const list = taken.get(segment)
    if (list === undefined) taken.set(segment, [word])
    else list.push(word)
  }
  return taken
}

/** Returns a function for ascending times: it returns the segment that started last of those at the time, and the last one that ended before. */
const latest = <Segment extends Stretch>(ordered: ReadonlyArray<Segment>) => {
  // Segments that have started, the last one on top. One that ended is dropped when it comes to the top.
  const started: Array<Segment> = []
  let next = 0
  let before: Segment | undefined
  return (time: number) => {
    while (next < ordered.length && ordered[next]!.start <= time) started.push(ordered[next++]!)
    while (hasEnded(started.at(-1), time)) {
      const ended = started.pop()!
      if (before === undefined || ended.end! > before.end!) before = ended
    }
    return { latest: started.at(-1), before }
  }
}

const hasEnded = (segment: Stretch | undefined, at: number): boolean =>
  segment !== undefined && segment.end !== null && segment.end <= at
