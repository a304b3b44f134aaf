/** A word with its times in seconds; null where the recognizer is not sure. */
export type Word = { readonly word: string; readonly start: number | null; readonly end: number | null }

/** A stretch of time in seconds; one without an end never ends. */
interface Stretch {
  readonly start: number
  readonly end: number | null
  /** Whether it takes words of the whole document; another has words of its own. */
  readonly takesWords: boolean
}

/** The words with a time to sort them by: one without gets that of the word before it. */
const placed = <One extends Word>(words: ReadonlyArray<One>): ReadonlyArray<readonly [One, number]> => {
  let before = 0
  return words.map((word) => {
    before = word.start ?? before
    return [word, before] as const
  })
}

/**
 * The words of each segment, in the order of their times. A word belongs to one segment at most: of those in which it
 * starts, the one that started last; if there is none, the nearest before it, else the first. One that starts only in
 * segments with words of their own is left out. So the result is never larger than the input, however segments overlap.
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

/** For times in ascending order: the segment that started last of those at the time, and the last one that ended before. */
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
