import type { Recording } from "@tapedeck/domain"
import { Context, Effect } from "effect"
import type { Database } from "../Database.ts"
import { Kept } from "../Kept.ts"
import type { Entry } from "./Views.ts"

/** How much JSON is kept decoded, in characters: some 25,000 usual recordings in 65 MB, with what is served of them. */
const keptCharacters = 32 * 1024 * 1024

/** Read at once: a statement has so many parameters. */
const atOnce = [100, 25, 5, 1] as const

type Row = readonly [id: number, revision: number, folderId: string | null, document: string]

const select = "SELECT id, revision, folder_id, document FROM recordings WHERE id IN"
const statements = new Map(atOnce.map((count) => [count, `${select} (${Array(count).fill("?").join(", ")})`]))

/**
 * A recording as it is written: its folder is in the row, so that a whole folder can be left in one statement, and its views
 * are counted in a table of their own.
 */
export const encode = (recording: Recording): string =>
  JSON.stringify({ ...recording, folderId: null, impressionsCount: 0 })

const decode = (folderId: string | null, document: string, views: number): Recording => {
  const recording = JSON.parse(document) as { -readonly [Key in keyof Recording]: Recording[Key] }
  recording.folderId = folderId as Recording["folderId"]
  recording.impressionsCount = views
  return recording
}

/** Recordings by what a list or an index says of them: from memory where they are kept, or else from their rows. */
export const makeDocuments = ({ query, sql }: Pick<Database, "query" | "sql">) => {
  const kept = new Kept<number, number, Recording>(keptCharacters)

  const load = Effect.fnUntraced(function* (
    missing: ReadonlyMap<number, Entry>,
    found: Map<number, Recording>,
    isCommitted: boolean
  ) {
    const ids = [...missing.keys()]
    for (let start = 0; start < ids.length; ) {
      const count = atOnce.find((size) => size <= ids.length - start)!
      const rows = yield* query<Row>(statements.get(count)!, ...ids.slice(start, start + count))
      for (const [id, revision, folderId, document] of rows) {
        const recording = decode(folderId, document, missing.get(id)!.views)
        found.set(id, recording)
        if (isCommitted) kept.put(id, revision, recording, document.length)
      }
      start += count
    }
  })

  /** What is kept, with the views that the entry has. */
  const known = ({ id, revision, views }: Entry): Recording | undefined => {
    const recording = kept.get(id, revision)
    if (recording === undefined || recording.impressionsCount === views) return recording
    const seen = { ...recording, impressionsCount: views }
    kept.replace(id, revision, seen)
    return seen
  }

  /** In the order of the entries, without those that were removed since. */
  return (entries: ReadonlyArray<Entry>) =>
    Effect.withFiber((fiber) => {
      const all = entries.map(known)
      const missing = new Map<number, Entry>()
      for (const [index, one] of all.entries()) if (one === undefined) missing.set(entries[index]!.id, entries[index]!)
      if (missing.size === 0) return Effect.succeed(all as ReadonlyArray<Recording>)
      // What a transaction reads may be its own, and never be committed.
      const isCommitted = Context.getOrUndefined(fiber.context, sql.transactionService) === undefined
      const loaded = new Map<number, Recording>()
      return Effect.map(load(missing, loaded, isCommitted), () =>
        all.flatMap((one, index) => one ?? loaded.get(entries[index]!.id) ?? [])
      )
    })
}
