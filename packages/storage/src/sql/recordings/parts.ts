import type { RecordingPartRepository, WholePart } from "@tapedeck/core"
import { type RecordingId, RecordingParts, type Segment } from "@tapedeck/domain"
import { noParts } from "@tapedeck/domain/internal/recordings"
import { Effect, Schema } from "effect"
import type { Database } from "../database/Database.ts"
import { documentsIn, type ReadDocument } from "../database/documents.ts"
import { inList } from "../database/statements.ts"
import { readText, segmentsInRow, segmentsOf } from "./segments.ts"
import { indexSpokenOf } from "./spoken.ts"

/** Numbers of rows that one statement inserts: each number is a prepared statement. */
const batchSizes = [20, 5, 1] as const

const insertRows = new Map<number, string>(
  batchSizes.map((count) => [
    count,
    `INSERT INTO recording_parts (recording_id, part, page, document) VALUES ${Array(count).fill("(?, ?, ?, ?)").join(", ")}`
  ])
)

/** Any JSON: what `JSON.parse` returns. To check it again would cost several times as much. */
const ParsedJson = Schema.declare((_: unknown): _ is Schema.Json => true)

const readErrors = documentsIn("recording_parts", Schema.NullOr(Schema.Array(ParsedJson)))

const readPart: { readonly [Name in WholePart]: ReadDocument<RecordingParts[Name]> } = {
  consoleErrors: readErrors,
  networkErrors: readErrors,
  speakerMap: documentsIn("recording_parts", RecordingParts.fields.speakerMap),
  legacyText: readText,
  log: readText
}

/** The large parts of recordings: segments in rows of some each, other parts in one row each. */
export const makeRecordingParts = ({ query, read, write }: Database): RecordingPartRepository => {
  const readParts = Effect.fnUntraced(function* <Name extends WholePart>(id: RecordingId, names: ReadonlyArray<Name>) {
    const { marks, values } = inList<string>(names)
    // An empty list is no SQL.
    const rows =
      names.length === 0
        ? []
        : yield* query<[Name, string]>(
            `SELECT part, document FROM recording_parts WHERE recording_id = ? AND page = 0 AND part IN ${marks}`,
            id,
            ...values
          )
    const found = new Map(rows.map(([name, document]) => [name, readPart[name](`${id} ${name}`, document)]))
    const entries = names.map((name) => [name, found.has(name) ? found.get(name) : noParts[name]] as const)
    // The entries are decoded; `Object.fromEntries` forgets which name has which type.
    return Object.fromEntries(entries) as unknown as Pick<RecordingParts, Name>
  })

  const save = Effect.fnUntraced(function* (id: RecordingId, parts: Partial<RecordingParts>) {
    for (const name of Object.keys(parts) as ReadonlyArray<keyof RecordingParts>) {
      const value = parts[name]
      if (value === undefined) continue
      yield* query("DELETE FROM recording_parts WHERE recording_id = ? AND part = ?", id, name)
      const rows = rowsOf(name, value).map((document, page) => [id, name, page, document] as const)
      for (let at = 0; at < rows.length; ) {
        const count = batchSizes.find((size) => size <= rows.length - at)!
        yield* query(insertRows.get(count)!, ...rows.slice(at, at + count).flat())
        at += count
      }
    }
    const { edited, legacyText, processed } = parts
    if ([edited, legacyText, processed].some((texts) => texts !== undefined)) yield* indexSpokenOf(query, id)
  })

  return {
    read: (id, ...names) => read(readParts(id, names)),
    segments: (id, source, slice) => read(segmentsOf(query, id, source, slice)),
    save: (id, parts) => write(save(id, parts))
  }
}

/** An empty part has no rows. */
const rowsOf = (name: keyof RecordingParts, value: RecordingParts[keyof RecordingParts]): ReadonlyArray<string> => {
  if (name !== "edited" && name !== "processed") {
    const isEmpty = value === null || (name === "speakerMap" && Object.keys(value).length === 0)
    return isEmpty ? [] : [JSON.stringify(value)]
  }
  const segments = value as ReadonlyArray<Segment>
  const rows: Array<string> = []
  for (let at = 0; at < segments.length; at += segmentsInRow) {
    rows.push(JSON.stringify(segments.slice(at, at + segmentsInRow)))
  }
  return rows
}
