import { Effect } from "effect"
import { SqlError, StatementTimeoutError } from "effect/sql/SqlError"
import type { Session } from "./connection.ts"

/**
 * Maximum time of a server's statement, and of its wait for a connection, in milliseconds. PostgreSQL's own timeouts do not end a
 * statement of a backend that is stopped, or whose machine is lost.
 */
export const statementMs = 10_000

/** Fails after the deadline, if there is one; the driver then cancels the statement, and gives the connection up after 5 s. */
export const withDeadline =
  (deadlineMs: number | undefined) =>
  <A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> => {
    if (deadlineMs === undefined) return effect
    return Effect.timeoutOrElse(effect, {
      duration: deadlineMs,
      orElse: () => {
        const message = `it did not respond within ${deadlineMs} ms`
        return Effect.fail(new SqlError({ reason: new StatementTimeoutError({ cause: new Error(message), message }) }))
      }
    })
  }

/** A session each of whose statements has the deadline. */
export const sessionWithDeadline = (session: Session, deadlineMs: number | undefined): Session => {
  if (deadlineMs === undefined) return session
  const within = withDeadline(deadlineMs)
  return {
    query: (text, parameters) => within(session.query(text, parameters)),
    queryValues: (text, parameters) => within(session.queryValues(text, parameters))
  }
}
