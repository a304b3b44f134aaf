import type { Pool } from "pg"
import type { Outcome } from "../attempt.ts"

interface Entry {
  readonly id: string
  readonly document: string
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * Where an engine that keeps nothing of a job that ended has its outcome: a table beside it. What comes while a batch is
 * being written goes into the next; `add` ends when its row is committed, so that no job ends before its outcome is kept.
 */
export const makeOutcomeLog = async (pool: Pool) => {
  await pool.query("CREATE TABLE IF NOT EXISTS outcomes (sequence BIGSERIAL PRIMARY KEY, delivery TEXT, document TEXT)")
  let waiting: Array<Entry> = []
  let writing = false

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const values = [batch.map(({ id }) => id), batch.map(({ document }) => document)]
      await pool
        .query({
          name: "outcomes",
          text: "INSERT INTO outcomes (delivery, document) SELECT * FROM unnest($1::text[], $2::text[])",
          values
        })
        .then(
          () => batch.forEach(({ resolve }) => void resolve()),
          (error: Error) => batch.forEach(({ reject }) => void reject(error))
        )
    }
    writing = false
  }

  return {
    add: (id: string, outcome: Outcome): Promise<void> =>
      new Promise((resolve, reject) => {
        waiting.push({ id, document: JSON.stringify(outcome), resolve, reject })
        if (writing) return
        writing = true
        void write()
      })
  }
}
