import * as Schema from "effect/Schema"
import type { Trim } from "../files/video.ts"

/** Maximum lengths of generated texts, in UTF-16 code units, and the maximum number of chapters. */
export const MAX_GENERATED = { title: 100, summary: 1_000, chapterTitle: 80, chapters: 20 }

/**
 * Maximum numbers of requests for title, summary and chapters in an hour. A write of a transcript that starts the generation is such a
 * request. Each may cost as many requests to the summarizer as its job has tries (6). Generations after a transcription or an upload are
 * not counted.
 */
export const MAX_SUMMARY_REQUESTS = { recording: 10, user: 20, account: 200 }

/** A part of a video, from its start to that of the next one. */
export const Chapter = Schema.Struct({
  /** Start in the whole video, even if it is trimmed. */
  startSeconds: Schema.Natural,
  title: Schema.String
})
export type Chapter = typeof Chapter.Type

/** The texts of a recording that were generated from its transcript. A text that a person writes is no longer one of them. */
export const GeneratedTexts = Schema.Struct({
  title: Schema.optionalKey(Schema.Literal(true)),
  summary: Schema.optionalKey(Schema.Literal(true)),
  chapters: Schema.optionalKey(Schema.Array(Chapter))
})
export type GeneratedTexts = typeof GeneratedTexts.Type

/** The fields that a generated text may fill. */
export const generatedFields = ["title", "summary"] as const
export type GeneratedField = (typeof generatedFields)[number]

export type TextSource = "person" | "generated"

interface Texts {
  readonly title: string | null
  readonly summary: string | null
  readonly generated?: GeneratedTexts
}

/** Returns the source of a text; null if there is none. */
export const textSourceOf = (recording: Texts, field: GeneratedField): TextSource | null => {
  if ((recording[field] ?? "").trim() === "") return null
  return recording.generated?.[field] === true ? "generated" : "person"
}

const withGenerated = <R extends Texts>(recording: R, generated: GeneratedTexts): R => {
  const { generated: _, ...rest } = recording
  // The removed keys are optional in `R`.
  return (Object.keys(generated).length === 0 ? rest : { ...rest, generated }) as R
}

/** Returns the recording with the texts of a person in these fields. */
export const writtenByPerson = <R extends Texts>(recording: R, fields: ReadonlyArray<GeneratedField>): R => {
  const { generated = {} } = recording
  if (!fields.some((field) => generated[field])) return recording
  const kept = Object.entries(generated).filter(([name]) => !fields.some((field) => field === name))
  return withGenerated(recording, Object.fromEntries(kept))
}

/** Returns the recording without chapters, because its video is another one. */
export const withoutChapters = <R extends Texts>(recording: R): R => {
  if (recording.generated?.chapters === undefined) return recording
  const { chapters: _, ...generated } = recording.generated
  return withGenerated(recording, generated)
}

/** Texts that were generated from a transcript. A text that is null is unusable. */
export interface Summary {
  readonly title: string | null
  readonly summary: string | null
  readonly chapters: ReadonlyArray<Chapter>
}

/**
 * Returns the recording with generated texts. They fill a field only if no person wrote it, and if it is the same as `before`, when the
 * generation started: a person who writes or deletes a text in the meantime wins.
 */
export const withSummary = <R extends Texts>(recording: R, before: Texts, made: Summary): R => {
  const filled = generatedFields.filter(
    (field) =>
      made[field] !== null &&
      recording[field] === before[field] &&
      textSourceOf(recording, field) !== "person" &&
      recording.generated?.[field] === before.generated?.[field]
  )
  const texts = Object.fromEntries(filled.map((field) => [field, made[field]]))
  const flags = Object.fromEntries(filled.map((field) => [field, true as const]))
  const { chapters: _, ...generated } = recording.generated ?? {}
  const chapters = made.chapters.length === 0 ? {} : { chapters: made.chapters }
  return withGenerated({ ...recording, ...texts }, { ...generated, ...flags, ...chapters })
}

interface Chaptered extends Texts {
  readonly video: { readonly trim?: Trim }
}

/** Returns the chapters for readers. Those of a trimmed video start in it, and have its times. */
export const chaptersOf = ({ generated, video: { trim } }: Chaptered): ReadonlyArray<Chapter> => {
  const chapters = generated?.chapters ?? []
  if (trim?.state !== "ready") return chapters
  return chapters
    .filter(({ startSeconds }) => startSeconds >= trim.startSeconds && startSeconds < trim.endSeconds)
    .map(({ startSeconds, title }) => ({ startSeconds: Math.floor(startSeconds - trim.startSeconds), title }))
}
