import { Effect } from "effect"
import type { Database } from "../Database.ts"
import type { Migration } from "../migrate.ts"

/**
 * Moves the large parts of recordings out of their documents, so that a list reads none of them, and their views, so that a
 * view writes a row of a few bytes. `recording_parts` holds a part in one row; segments in rows of 100, which is a page.
 */
export const recordingParts: Migration = {
  version: 8,
  name: "recording_parts",
  statements: ({ integer, integerKey }) => [
    `CREATE TABLE recording_parts (
      recording_id ${integer} NOT NULL,
      part TEXT NOT NULL,
      place ${integer} NOT NULL,
      document TEXT NOT NULL,
      PRIMARY KEY (recording_id, part, place)
    )`,
    `CREATE TABLE recording_views (recording_id ${integerKey}, views ${integer} NOT NULL)`,
    // The last batch of views that each process wrote: a read sees by it which of the process's own views its rows include.
    `CREATE TABLE view_batches (node TEXT PRIMARY KEY, batch ${integer} NOT NULL, at ${integer} NOT NULL)`
  ],
  rewrite: (database) => rewrite(database)
}

const segmentsInRow = 100

/** How many characters of documents are read at once, unless one alone is longer. */
const charactersAtOnce = 4_000_000

interface Segments {
  readonly edited: ReadonlyArray<unknown> | null
  readonly processed: ReadonlyArray<unknown> | null
}

interface Before {
  readonly impressionsCount: number
  readonly consoleErrors: unknown
  readonly networkErrors: unknown
  readonly transcript:
    | (Segments & {
        readonly status: string
        readonly language: unknown
        readonly legacyText: string | null
      } & Readonly<Record<"speakerMap", object>>)
    | null
}

/** A document of version 7 as the document of version 8, and the rows of its parts. */
const split = (text: string) => {
  const { consoleErrors, networkErrors, transcript, ...rest } = JSON.parse(text) as Before
  const rows: Array<readonly [part: string, place: number, document: string]> = []
  const one = (part: string, value: unknown) => rows.push([part, 0, JSON.stringify(value)])
  const paged = (part: string, segments: ReadonlyArray<unknown> | null) => {
    for (let at = 0; at < (segments?.length ?? 0); at += segmentsInRow) {
      rows.push([part, at / segmentsInRow, JSON.stringify(segments!.slice(at, at + segmentsInRow))])
    }
    return segments?.length ?? 0
  }
  if (consoleErrors !== null) one("consoleErrors", consoleErrors)
  if (networkErrors !== null) one("networkErrors", networkErrors)
  const document = { ...rest, impressionsCount: 0, transcript: null as unknown }
  if (transcript !== null) {
    const { edited, language, legacyText, processed, speakerMap, status } = transcript
    if (Object.keys(speakerMap).length > 0) one("speakerMap", speakerMap)
    if (legacyText !== null) one("legacyText", legacyText)
    document.transcript = {
      status,
      language,
      edited: paged("edited", edited),
      processed: paged("processed", processed),
      legacy: legacyText !== null && legacyText !== ""
    }
  }
  return { document: JSON.stringify(document), rows, views: rest.impressionsCount }
}

const rewrite = Effect.fnUntraced(function* ({ query }: Pick<Database, "query">) {
  let last = -1
  for (;;) {
    const sizes = yield* query<[number, number]>(
      "SELECT id, length(document) FROM recordings WHERE id > ? ORDER BY id LIMIT 500",
      last
    )
    if (sizes.length === 0) return
    let characters = 0
    const some = sizes.filter(([, size], index) => {
      characters += Number(size)
      return index === 0 || characters <= charactersAtOnce
    })
    const from = last + 1
    last = Number(some.at(-1)![0])
    const found = yield* query<[number, string]>(
      "SELECT id, document FROM recordings WHERE id BETWEEN ? AND ? ORDER BY id",
      from,
      last
    )
    for (const [id, text] of found) {
      const { document, rows, views } = split(text)
      yield* query("UPDATE recordings SET document = ? WHERE id = ?", document, id)
      for (const row of rows) {
        yield* query(
          "INSERT INTO recording_parts (recording_id, part, place, document) VALUES (?, ?, ?, ?)",
          id,
          ...row
        )
      }
      if (views > 0) yield* query("INSERT INTO recording_views (recording_id, views) VALUES (?, ?)", id, views)
    }
  }
})
