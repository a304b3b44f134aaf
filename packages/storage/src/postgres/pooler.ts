import type { PgPool } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { DatabaseRefused } from "../sql/database/errors.ts"
import type { Session } from "./connection.ts"
import { codeOf } from "./errors.ts"

const remedy =
  "connect to PostgreSQL itself, because nodes have pools of their own, or let it pool sessions and pass their settings"

const transactionMode = `a pooler gives each transaction another session (such as PgBouncer with pool_mode = transaction): ${remedy}`

/** The settings of a session that the pooler did not pass. The role can have them instead. */
const droppedSettings = (dropped: ReadonlyArray<readonly [name: string, value: string]>): string => {
  const statements = dropped.map(([setting, value]) => `ALTER ROLE CURRENT_USER SET ${setting} = '${value}'`)
  return `a pooler drops the settings with which a session begins: ${remedy}; or run ${statements.join("; ")}`
}

/** Two connections that have the same session, or one that has several, are found in the first round, unless others use the pooler. */
const rounds = 3

/** A statement of another session (26000), or of this name on a session that another connection prepared (42P05). */
const isOfOtherSession = (error: SqlError): boolean => ["26000", "42P05"].includes(codeOf(error) ?? "")

let statements = 0

/** Each text is new, so that it is prepared on the session that runs it. */
const valueOf = (session: Session, expression: string) => {
  statements += 1
  return Effect.map(session.queryValues(`SELECT ${expression} AS checked_${statements}`), (rows) =>
    String(rows[0]?.[0])
  )
}

/** Returns the settings that the session does not have, each in its base unit. */
const droppedIn = (session: Session, settings: ReadonlyArray<readonly [name: string, value: string]>) =>
  Effect.map(session.queryValues("SELECT lower(name), setting FROM pg_settings"), (rows) => {
    const inForce = new Map(rows.map(([name, value]) => [String(name), String(value)]))
    return settings.filter(([name, value]) => inForce.get(name) !== value)
  })

/**
 * Refuses a pooler that does not keep a session for a connection: prepared statements, locks, notifications and settings belong to
 * sessions, and nearly every request would fail.
 */
export const checkSessions = (
  pool: PgPool.PgPool,
  name: string
): Effect.Effect<void, DatabaseRefused | SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const [one, two] = [yield* pool.reserve, yield* pool.reserve]
    const isShared = Effect.gen(function* () {
      const first = yield* valueOf(one, "pg_backend_pid()")
      yield* two.query("BEGIN")
      // The order matters: with one session the third statement would wait for the transaction to end.
      return first === (yield* valueOf(two, "pg_backend_pid()")) || first !== (yield* valueOf(one, "pg_backend_pid()"))
    }).pipe(Effect.ensuring(Effect.ignore(two.query("COMMIT"))))
    for (let round = 0; round < rounds; round += 1) {
      if (yield* isShared) return yield* new DatabaseRefused({ file: name, why: transactionMode })
    }
    const dropped = yield* droppedIn(one, Object.entries(pool.config.startupParameters ?? {}))
    if (dropped.length > 0) return yield* new DatabaseRefused({ file: name, why: droppedSettings(dropped) })
  }).pipe(
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(isOfOtherSession(error) ? new DatabaseRefused({ file: name, why: transactionMode }) : error)
    )
  )
