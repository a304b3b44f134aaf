import { randomUUID } from "node:crypto"
import { Clock, Effect, Latch, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../database/Database.ts"
import type { Parameter } from "../database/statements.ts"

/** An entry of a list: a recording, its revision and its number of views. */
export interface Entry {
  readonly id: number
  readonly revision: number
  readonly views: number
}

/** Time for which views are collected before they are written. With the write it is below a second. */
const batchMs = 500

/** Views of one batch, by recording. */
interface Batch {
  readonly number: number
  readonly views: Map<number, number>
}

type Row = readonly [id: number, revision: number, views: number | null, batch: number | null]

const entryColumns = `page.id, page.revision, (SELECT views FROM recording_views WHERE recording_id = page.id),
  (SELECT batch FROM view_batches WHERE node = ?)`

const add = (views: Map<number, number>, id: number, count: number) => views.set(id, (views.get(id) ?? 0) + count)

const changeViews = `INSERT INTO recording_views (recording_id, views) SELECT id, CAST(? AS BIGINT) FROM recordings WHERE id = ?
  ON CONFLICT (recording_id) DO UPDATE SET views = recording_views.views + excluded.views`

/** Returns nothing if the batch is written already. */
const changeBatch = `INSERT INTO view_batches (node, batch, at) VALUES (?, ?, ?)
  ON CONFLICT (node) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE view_batches.batch < excluded.batch
  RETURNING batch`

/** Time without a batch after which the row of a process is removed: longer than a batch waits for its database. */
const rowsLastMs = 30 * 86_400_000

/**
 * Counts the views of recordings in memory and writes them in batches. A read adds the views of this process that its rows do not
 * include: the row of `view_batches` is written with the batch and read in the same statement as the views, so each view is counted
 * exactly once, whether its batch is committed or not. A batch whose write failed keeps its number and its views until it is known
 * to be written: a commit without an answer is not added again.
 */
export class Views {
  private readonly database: Database
  private readonly node = randomUUID()
  private readonly hasViews = Latch.makeUnsafe(false)
  private current: Batch = { number: 1, views: new Map() }
  /** Batches that a reader's rows may not include: the one being written and the one before. */
  private written: ReadonlyArray<Batch> = []
  /** The batch that is being written, or is to be written again. */
  private pending: Batch | undefined
  /** The last batch that is known to be written. */
  private confirmed = 0
  private isFailing = false

  constructor(database: Database) {
    this.database = database
  }

  count(id: number) {
    add(this.current.views, id, 1)
    this.hasViews.openUnsafe()
  }

  /** The entries of a statement that selects `id` and `revision`. */
  entries(statement: string, ...parameters: ReadonlyArray<Parameter>): Effect.Effect<ReadonlyArray<Entry>, SqlError> {
    const page = `(${statement}) AS page`
    return Effect.map(this.rows<Row>(`SELECT ${entryColumns} FROM ${page}`, parameters), ({ entryOf, rows }) =>
      rows.map(entryOf)
    )
  }

  /** The entries of a statement that also selects `found`, a number of records, and has a row without an id for an empty page. */
  countedEntries(
    statement: string,
    ...parameters: ReadonlyArray<Parameter>
  ): Effect.Effect<{ readonly count: number; readonly entries: ReadonlyArray<Entry> }, SqlError> {
    const text = `SELECT ${entryColumns}, page.found FROM (${statement}) AS page`
    return Effect.map(this.rows<readonly [...Row, found: number]>(text, parameters), ({ entryOf, rows }) => ({
      count: Number(rows[0]![4]),
      entries: rows.filter(([id]) => id !== null).map(entryOf)
    }))
  }

  private rows<Columns extends ReadonlyArray<unknown>>(text: string, parameters: ReadonlyArray<Parameter>) {
    return Effect.suspend(() => {
      // The row of a process is removed after some time. Without it, the rows include what was written before the statement.
      const { confirmed } = this
      const entryOf = ([id, revision, views, batch]: readonly [...Row, ...rest: ReadonlyArray<unknown>]): Entry => ({
        id,
        revision,
        views: (views ?? 0) + this.since(id, batch ?? confirmed)
      })
      return Effect.map(this.database.query<Columns>(text, this.node, ...parameters), (rows) => ({ rows, entryOf }))
    })
  }

  private since(id: number, batch: number): number {
    let count = this.current.views.get(id) ?? 0
    for (const { number, views } of this.written) if (number > batch) count += views.get(id) ?? 0
    return count
  }

  /** Writes the counted views. A batch that fails is written again, before the next. */
  readonly flush: Effect.Effect<void> = Effect.suspend(() => {
    if (this.pending === undefined) {
      const batch = this.current
      if (batch.views.size === 0) return Effect.void
      this.current = { number: batch.number + 1, views: new Map() }
      this.written = [...this.written.slice(-1), batch]
      this.pending = batch
    }
    const { number } = this.pending
    this.hasViews.closeUnsafe()
    return Effect.matchCauseEffect(this.write(this.pending), {
      onSuccess: () => {
        this.pending = undefined
        this.confirmed = number
        this.isFailing = false
        // Writes the views that were counted while this batch failed.
        return this.flush
      },
      onFailure: (cause) => {
        this.hasViews.openUnsafe()
        if (this.isFailing) return Effect.void
        this.isFailing = true
        return Effect.logWarning("Views could not be written; retrying", cause)
      }
    })
  }).pipe(Effect.uninterruptible)

  private write({ number, views }: Batch) {
    const { changeEach, query, readCommitted } = this.database
    // Rows are written in the order of ids, so that concurrent batches of the same rows cannot deadlock.
    const lists = [...views].sort(([a], [b]) => a - b).map(([id, count]) => [count, id])
    return readCommitted(
      Effect.gen({ self: this }, function* () {
        const now = yield* Clock.currentTimeMillis
        if (number === 1) yield* query("DELETE FROM view_batches WHERE at < ?", now - rowsLastMs)
        const changed = yield* query(changeBatch, this.node, number, now)
        if (changed.length > 0) yield* changeEach(changeViews, lists)
      })
    )
  }

  /** Writes batches forever. */
  readonly run: Effect.Effect<never> = Effect.forever(
    Effect.suspend(() => Effect.andThen(this.hasViews.await, Effect.andThen(Effect.sleep(batchMs), this.flush)))
  )

  /** Starts the count of a recording in the transaction that adds it; `end` belongs to the one that removes it. */
  begin(id: number, views: number) {
    return views === 0
      ? Effect.void
      : this.database.query(
          `INSERT INTO recording_views (recording_id, views) VALUES (?, ?)
            ON CONFLICT (recording_id) DO UPDATE SET views = excluded.views`,
          id,
          views
        )
  }

  end(id: number) {
    return this.database.query("DELETE FROM recording_views WHERE recording_id = ?", id)
  }
}

/** Writes views by the machine's clock until the scope ends. */
export const makeViews = Effect.fnUntraced(function* (database: Database): Effect.fn.Return<Views, never, Scope.Scope> {
  const views = new Views(database)
  yield* Effect.addFinalizer(() => views.flush)
  yield* Effect.forkScoped(Effect.provideService(views.run, Clock.Clock, Clock.Clock.defaultValue()))
  return views
})
