import type { SegmentSource, Slice } from "@tapedeck/core"
import { type RecordingId, RecordingParts, Segment } from "@tapedeck/domain"
import { Effect, Predicate, Schema } from "effect"
import { documentsIn } from "../database/documents.ts"
import type { Query } from "../database/statements.ts"

/** Segments in a row: few, as drivers hold a row several times and one segment may have 15 kB and more. */
export const segmentsInRow = 4

const ParsedObject = Schema.declare((value: unknown): value is Schema.JsonObject => Predicate.isObject(value))

const readSegments = documentsIn(
  "recording_parts",
  Schema.Array(Schema.Struct({ ...Segment.fields, sentences: Schema.Array(ParsedObject) }))
)

/** Reads a part that is a text. */
export const readText = documentsIn("recording_parts", RecordingParts.fields.log)

/** Reads a slice of the segments of a transcript. */
export const segmentsOf = (query: Query, id: RecordingId, source: SegmentSource, { limit, offset }: Slice) => {
  const first = Math.floor(offset / segmentsInRow)
  const last = Math.floor((offset + limit - 1) / segmentsInRow)
  return Effect.map(
    query<[string]>(
      `SELECT document FROM recording_parts WHERE recording_id = ? AND part = ? AND page BETWEEN ? AND ?
        ORDER BY page`,
      id,
      source,
      first,
      last
    ),
    (rows) => {
      const segments = rows.flatMap(([document]) => readSegments(`${id} ${source}`, document))
      const skipped = offset - first * segmentsInRow
      return segments.slice(skipped, skipped + limit)
    }
  )
}
