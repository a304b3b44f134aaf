/** A word with its times in seconds. */
export type Word = { readonly word: string; readonly start: number; readonly end: number | null }

/** A stretch of time in seconds; one without an end never ends. */
interface Stretch {
  readonly start: number
  readonly end: number | null
}

/**
 * The words of each segment, in the order of their times. A word belongs to one segment at most: of those in which it
 * starts, the one that started last. So the result is never larger than the input, however segments overlap.
 */
export const wordsBySegment = <Segment extends Stretch>(
  segments: ReadonlyArray<Segment>,
  words: ReadonlyArray<Word>
): ReadonlyMap<Segment, ReadonlyArray<Word>> => {
  const ordered = segments.toSorted((one, other) => one.start - other.start)
  const taken = new Map<Segment, Array<Word>>()
  // Segments that have started, the last one on top. One that ended is dropped when it comes to the top.
  const started: Array<Segment> = []
  let next = 0
  for (const word of words.toSorted((one, other) => one.start - other.start)) {
    while (next < ordered.length && ordered[next]!.start <= word.start) started.push(ordered[next++]!)
    while (hasEnded(started.at(-1), word.start)) started.pop()
    const segment = started.at(-1)
    if (segment === undefined) continue
    const own = taken.get(segment)
    if (own === undefined) taken.set(segment, [word])
    else own.push(word)
  }
  return taken
}

const hasEnded = (segment: Stretch | undefined, at: number): boolean =>
  segment !== undefined && segment.end !== null && segment.end <= at
