import { Recording, type RecordingId } from "@tapedeck/domain"
import { SpokenWords, searchedTranscript } from "@tapedeck/domain/internal/recordings"
import { legacySegment } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import { documentsIn } from "../database/documents.ts"
import type { Query } from "../database/statements.ts"
import { readText, segmentsOf } from "./segments.ts"

/** Segments that are read at a time. */
const pageSize = 40

const readRecording = documentsIn("recordings", Recording)

type Searched = Pick<Recording, "id" | "transcript" | "video">

/** Reads the words of a recording's transcript, as readers see it: ` one two`, or an empty text. */
const spokenText = Effect.fnUntraced(function* (query: Query, recording: Searched) {
  const searched = searchedTranscript(recording)
  if (searched === null) return ""
  const words = new SpokenWords(searched)
  const { source } = searched
  if (source === "legacy") {
    const [row] = yield* query<[string]>(selectLegacyText, recording.id)
    words.take([legacySegment((row && readText(`${recording.id} legacyText`, row[0])) ?? "")])
  } else {
    for (let offset = 0; !words.isFull; offset += pageSize) {
      const segments = yield* segmentsOf(query, recording.id, source, { offset, limit: pageSize })
      words.take(segments)
      if (segments.length < pageSize) break
      // Statements alone do not let requests run.
      yield* Effect.yieldNow
    }
  }
  return words
    .end()
    .map((word) => ` ${word}`)
    .join("")
})

const selectLegacyText =
  "SELECT document FROM recording_parts WHERE recording_id = ? AND part = 'legacyText' AND page = 0"

/** Writes the words by which a recording's transcript is found. Belongs in the transaction that changes what readers see of it. */
export const indexSpoken = Effect.fnUntraced(function* (query: Query, recording: Searched) {
  const spoken = yield* spokenText(query, recording)
  yield* query("UPDATE recordings SET spoken = ? WHERE id = ? AND spoken <> ?", spoken, recording.id, spoken)
})

/** Does the same for the recording of an id, if there is one. */
export const indexSpokenOf = Effect.fnUntraced(function* (query: Query, id: RecordingId) {
  const [row] = yield* query<[string]>("SELECT document FROM recordings WHERE id = ?", id)
  if (row !== undefined) yield* indexSpoken(query, readRecording(id, row[0]))
})
