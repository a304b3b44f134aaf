import { Effect } from "effect"
import type { Owner } from "./Bytes.ts"

/** Place of an installation's contents: a bucket with a prefix, or a directory. */
interface Place<E> {
  /** Content of the mark; undefined if there is none. */
  readonly readMark: Effect.Effect<string | undefined, E>
  /**
   * Writes the mark as a whole: the first one, or one that replaces another. False: where there was none, another process has
   * written one since.
   */
  readonly writeMark: (text: string, as: "first" | "replacement") => Effect.Effect<boolean, E>
  /** The defect for contents of another owner. */
  readonly refuse: (why: string) => unknown
  /** Path of the mark, for messages. */
  readonly mark: string
}

/** The file name of the mark. */
export const markName = "tapedeck.json"

/**
 * Marks the contents of a place as the owner's. Another database, or an older copy of its own, would remove them as orphans. A mark
 * without a database is of SQLite, or of an older version: it becomes the one of the first database that knows its own.
 */
export const claimPlace = Effect.fnUntraced(function* <E>(place: Place<E>, owner: Owner) {
  const mark = `${JSON.stringify(owner)}\n`
  let text = yield* place.readMark
  if (text === undefined) {
    if (yield* place.writeMark(mark, "first")) return
    text = yield* place.readMark
  }
  const found = ownerIn(text ?? mark)
  if (found?.installation !== owner.installation || (found.database ?? owner.database) !== owner.database) {
    return yield* Effect.die(place.refuse(refusal(place.mark)))
  }
  if (found.database !== owner.database) yield* place.writeMark(mark, "replacement")
})

const refusal = (mark: string) =>
  "the files here belong to another installation, or to the database that this one was restored or copied from, and this one would " +
  "remove those that only the other database names: give each database files of its own, in another place; if the other one is not " +
  `used any more, remove ${mark}`

const ownerIn = (text: string): Partial<Owner> | null => {
  try {
    return JSON.parse(text) as Partial<Owner> | null
  } catch {
    return null
  }
}
