import { type OpenTranscript, transcriptPageSize } from "@tapedeck/core"
import type { Segment } from "@tapedeck/domain"
import { Effect, Option, Stream } from "effect"

/** A page of a transcript's segments. */
export interface SegmentPage {
  /** How many segments come before it. */
  readonly offset: number
  readonly segments: ReadonlyArray<Segment>
}

/** All segments of a transcript, read a page at a time as the answer is written: a long transcript is never in memory whole. */
export const segmentPages = (transcript: OpenTranscript): Stream.Stream<SegmentPage> =>
  Stream.paginate(0, (offset) =>
    Effect.map(transcript.read({ offset, limit: transcriptPageSize }), (segments) => {
      const end = offset + transcriptPageSize
      return [[{ offset, segments }], end < transcript.segments ? Option.some(end) : Option.none()] as const
    })
  )
