import { Effect } from "effect"
import type { Owner } from "./Bytes.ts"

/** Where an installation has its contents: a bucket with a prefix, or a directory. */
interface Place<E> {
  /** What the mark says; undefined without one. */
  readonly readMark: Effect.Effect<string | undefined, E>
  /** Replaces the mark as a whole. */
  readonly writeMark: (text: string) => Effect.Effect<void, E>
  /** The defect for contents of another owner. */
  readonly refuse: (why: string) => unknown
  /** The mark's path, for people. */
  readonly mark: string
}

/** The name of what says to which installation the contents belong. */
export const markName = "tapedeck.json"

/**
 * Marks the contents of a place as the owner's. Another database, or an older copy of its own, would remove them as orphans. A mark
 * without a database is of SQLite, or of an older version: it becomes the one of the first database that knows its own.
 */
export const claimPlace = Effect.fnUntraced(function* <E>(place: Place<E>, owner: Owner) {
  const text = yield* place.readMark
  const found = text === undefined ? owner : ownerIn(text)
  if (found?.installation === owner.installation && (found.database ?? owner.database) === owner.database) {
    const isMarked = text !== undefined && found.database === owner.database
    return isMarked ? undefined : yield* place.writeMark(`${JSON.stringify(owner)}\n`)
  }
  return yield* Effect.die(
    place.refuse(
      "the files here belong to another installation, or to the database that this one was restored or copied from, and its " +
        "unused files would be removed: give each files of its own, in another place; if the other database is not used any " +
        `more, remove ${place.mark}`
    )
  )
})

const ownerIn = (text: string): Partial<Owner> | null => {
  try {
    return JSON.parse(text) as Partial<Owner> | null
  } catch {
    return null
  }
}
