import { cutSegments } from "../files/trim.ts"
import { type TrimRange, trimOf } from "../files/video.ts"
import { type Segment, shownTranscript, type TranscriptSource } from "../transcript/Transcript.ts"
import type { Recording } from "./Recording.ts"
import { TokenSet } from "./searchWords.ts"

/**
 * Maximum number of words and pairs of words by which a transcript is found, their total length in characters, and maximum number of characters
 * of its text in which they are looked for: more than an hour of speech. A search does not find the rest.
 */
export const MAX_SPOKEN_TOKENS = 10_000
export const MAX_SPOKEN_TOKEN_CHARACTERS = 96 * 1024
export const MAX_SPOKEN_CHARACTERS = 128 * 1024

/** The transcript of which a search finds the words: that which readers see. */
export interface SearchedTranscript {
  readonly source: TranscriptSource
  readonly trim: TrimRange | undefined
}

export const searchedTranscript = (recording: Pick<Recording, "transcript" | "video">): SearchedTranscript | null => {
  const { source } = shownTranscript(recording.transcript)
  return source === null ? null : { source, trim: source === "legacy" ? undefined : trimOf(recording) }
}

/** Returns a text that changes when readers see another transcript, or another part of it. */
export const spokenKey = (recording: Pick<Recording, "transcript" | "video">): string => {
  const searched = searchedTranscript(recording)
  if (searched === null) return ""
  const { source, trim } = searched
  return trim === undefined ? source : `${source} ${trim.startSeconds} ${trim.endSeconds}`
}

/** Collects the words of a transcript, whose segments are read in pages. */
export class SpokenWords {
  private readonly found = new TokenSet(MAX_SPOKEN_TOKENS, MAX_SPOKEN_TOKEN_CHARACTERS)
  private readonly trim: TrimRange | undefined
  private left = MAX_SPOKEN_CHARACTERS
  private pending: ReadonlyArray<Segment> = []

  constructor({ trim }: Pick<SearchedTranscript, "trim">) {
    this.trim = trim
  }

  get isFull(): boolean {
    return this.found.isFull || this.left === 0
  }

  /** Takes the next segments. */
  take(segments: ReadonlyArray<Segment>) {
    const { trim } = this
    if (trim === undefined) return this.takeTexts(segments)
    // The end of a segment without one is the start of the next.
    const all = [...this.pending, ...segments]
    const ended = all
      .slice(0, -1)
      .map((one, index) => ({ ...one, endSeconds: one.endSeconds ?? all[index + 1]!.startSeconds }))
    this.pending = all.slice(-1)
    this.takeTexts(cutSegments(ended, trim))
  }

  /** Returns the words, after all segments were taken. */
  end(): ReadonlyArray<string> {
    if (this.trim !== undefined) this.takeTexts(cutSegments(this.pending, this.trim))
    this.pending = []
    return [...this.found.tokens]
  }

  private takeTexts(segments: ReadonlyArray<Pick<Segment, "text">>) {
    for (const { text } of segments) {
      if (this.isFull) return
      const taken = text.slice(0, this.left)
      this.left -= taken.length
      this.found.take(taken)
    }
  }
}
