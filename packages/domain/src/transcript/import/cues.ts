import type { JsonObject } from "../../json.ts"
import { mapSliced, type Sliced } from "../../slices.ts"
import type { RecognizedTranscript, Segment } from "../Transcript.ts"

/** The text of one voice in a cue. */
export interface Voice {
  /** The speaker's name in the file. */
  readonly name: string | null
  readonly text: string
}

/** A caption: a time range and its voices. */
export interface Cue {
  readonly startMs: number
  readonly endMs: number
  readonly voices: ReadonlyArray<Voice>
}

/**
 * Numbers speakers in the order in which they first speak. The numbers are the keys of the speaker map. Speakers of an existing map keep
 * their keys, and new ones get unused keys.
 */
export class Speakers {
  private readonly speakerMap: Readonly<Record<string, string>>
  private readonly used: ReadonlySet<string>
  private readonly numbers = new Map<string, string>()
  private next = 0

  constructor(speakerMap: Readonly<Record<string, string>>, used: ReadonlyArray<string> = []) {
    this.speakerMap = speakerMap
    this.used = new Set([...Object.keys(speakerMap), ...used])
  }

  /** Returns the key of the speaker with this label: a key of the existing map, or any other name. */
  numberOf(label: string): string {
    if (Object.hasOwn(this.speakerMap, label)) return label
    const known = this.numbers.get(label)
    if (known !== undefined) return known
    while (this.used.has(String(this.next))) this.next++
    const number = String(this.next++)
    this.numbers.set(label, number)
    return number
  }

  get map(): Readonly<Record<string, string>> {
    return { ...this.speakerMap, ...Object.fromEntries([...this.numbers].map(([name, number]) => [number, name])) }
  }
}

/** Cost of a word, or of the text of a voice, in characters of sliced work. */
export const charactersOfWord = 64

/** Rounds exact times outward to whole seconds. The sentences keep the exact times. */
export const wholeSeconds = (startSeconds: number, endSeconds: number | null) => ({
  startSeconds: Math.floor(startSeconds),
  endSeconds: endSeconds === null ? null : Math.ceil(endSeconds)
})

/** Converts cues to segments, each voice a sentence. Omits cues without text. */
export function* transcriptOfCues(cues: ReadonlyArray<Cue>, language: string | null): Sliced<RecognizedTranscript> {
  const speakers = new Speakers({})
  const segments = yield* mapSliced(cues, function* ({ endMs, startMs, voices }): Sliced<ReadonlyArray<Segment>> {
    const start = startMs / 1000
    const end = endMs / 1000
    const spoken = voices.filter(({ text }) => text !== "")
    if (spoken.length === 0) return []
    yield spoken.length * charactersOfWord
    const sentences = spoken.map(
      ({ name, text }): JsonObject =>
        name === null ? { text, start, end } : { text, start, end, speaker: speakers.numberOf(name) }
    )
    return [{ ...wholeSeconds(start, end), text: spoken.map(({ text }) => text).join(" "), sentences }]
  })
  return { language, speakerMap: speakers.map, segments: segments.flat() }
}
