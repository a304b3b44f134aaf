import { Clock, Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/database/Database.ts"

/**
 * Maximum number of changes that the text index takes in by one transaction, and number of characters of words after which it takes in no
 * more: some 10 ms, and at most some 100 ms for the words of a long transcript.
 */
const maxTaken = 500
const maxCharacters = 64 * 1024
const everyMs = 500

/** Updates the text index, in transactions of its own, since it is slow among other statements. */
export const updateSearchIndex = ({ query, write }: Pick<Database, "query" | "write">): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (;;) {
      const changes = yield* query<[number, number]>(
        `SELECT sequence, coalesce(length(words), 0) FROM recording_search_changes ORDER BY sequence LIMIT ${maxTaken}`
      )
      const last = lastOf(changes)
      if (last === undefined) return
      yield* write(
        Effect.gen(function* () {
          yield* query(
            `DELETE FROM recording_search WHERE rowid IN (
              SELECT place FROM recording_search_changes WHERE sequence <= ?)`,
            last
          )
          // The last change of a place counts: a bare column is of the row that has the maximum.
          yield* query(
            `INSERT INTO recording_search (rowid, words) SELECT place, words FROM (
              SELECT place, words, max(sequence) FROM recording_search_changes WHERE sequence <= ? GROUP BY place)
              WHERE words IS NOT NULL`,
            last
          )
          yield* query("DELETE FROM recording_search_changes WHERE sequence <= ?", last)
        })
      )
      // Transactions alone do not let requests run.
      yield* Effect.yieldNow
    }
  })

/** Returns the last change that is taken in by the next transaction. */
const lastOf = (changes: ReadonlyArray<readonly [sequence: number, length: number]>): number | undefined => {
  let characters = 0
  for (const [sequence, length] of changes) {
    characters += length
    if (characters >= maxCharacters) return sequence
  }
  return changes.at(-1)?.[0]
}

/** Does so by the machine's clock until the scope ends. A search does so first, by itself. */
export const keepSearchIndex = (database: Database): Effect.Effect<void, never, Scope.Scope> =>
  Effect.sleep(everyMs).pipe(
    Effect.andThen(Effect.ignoreCause(updateSearchIndex(database))),
    Effect.forever,
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()),
    Effect.forkScoped,
    Effect.asVoid
  )
