import type { OpenTranscript } from "@tapedeck/core"
import type { Segment } from "@tapedeck/domain"
import { Effect, Option, Stream } from "effect"
import { partInTurn } from "../pipeline/unsentAnswers.ts"

/** Segments of a read, at first and at most: few, as several answers are written at a time and one segment may have 15 kB and more. */
const [minSegments, maxSegments] = [4, 16]

/** Maximum number of characters of a page that is followed by one with twice as many segments. */
const smallPageCharacters = 8 * 1024

/** A page of a transcript's segments. */
export interface SegmentPage {
  /** Number of segments before this page. */
  readonly offset: number
  readonly segments: ReadonlyArray<Segment>
}

/**
 * All segments of a transcript, read a page at a time as the answer is written: a long transcript is never in memory whole. Each
 * page is read in its turn among all public pages.
 */
export const segmentPages = (transcript: OpenTranscript): Stream.Stream<SegmentPage> =>
  Stream.paginate({ offset: 0, limit: minSegments }, ({ limit, offset }) =>
    Effect.map(partInTurn(transcript.read({ offset, limit })), (segments) => {
      const isSmall = charactersOf(segments) <= smallPageCharacters
      const next = { offset: offset + limit, limit: isSmall ? Math.min(2 * limit, maxSegments) : minSegments }
      return [[{ offset, segments }], next.offset < transcript.segments ? Option.some(next) : Option.none()] as const
    })
  )

const charactersOf = (segments: ReadonlyArray<Segment>): number =>
  segments.reduce((characters, { text }) => characters + text.length, 0)
