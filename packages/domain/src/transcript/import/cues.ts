import type { JsonObject } from "../../json.ts"
import type { RecognizedTranscript, Segment } from "../Transcript.ts"

/** Something said by one voice, in a cue. */
export interface Voice {
  /** Who speaks, as the file names them. */
  readonly name: string | null
  readonly text: string
}

/** A stretch of time and what is said in it, as caption files have it. */
export interface Cue {
  readonly startMs: number
  readonly endMs: number
  readonly voices: ReadonlyArray<Voice>
}

/** Numbers speakers in the order in which they first speak; the numbers are the speaker map's keys. */
export class Speakers {
  private readonly numbers = new Map<string, string>()

  numberOf(name: string): string {
    const known = this.numbers.get(name)
    if (known !== undefined) return known
    const number = String(this.numbers.size)
    this.numbers.set(name, number)
    return number
  }

  get map(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.numbers].map(([name, number]) => [number, name]))
  }
}

/** Whole seconds around the exact times, which the sentences keep. */
export const wholeSeconds = (startSeconds: number, endSeconds: number | null) => ({
  startSeconds: Math.floor(startSeconds),
  endSeconds: endSeconds === null ? null : Math.ceil(endSeconds)
})

/** Cues as segments, each voice a sentence. Cues in which nothing is said are left out. */
export const transcriptOfCues = (cues: ReadonlyArray<Cue>, language: string | null): RecognizedTranscript => {
  const speakers = new Speakers()
  const segments = cues.flatMap(({ endMs, startMs, voices }): ReadonlyArray<Segment> => {
    const start = startMs / 1000
    const end = endMs / 1000
    const said = voices.filter(({ text }) => text !== "")
    if (said.length === 0) return []
    const sentences = said.map(
      ({ name, text }): JsonObject =>
        name === null ? { text, start, end } : { text, start, end, speaker: speakers.numberOf(name) }
    )
    return [{ ...wholeSeconds(start, end), text: said.map(({ text }) => text).join(" "), sentences }]
  })
  return { language, speakerMap: speakers.map, segments }
}
