import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Query } from "../sql/database/statements.ts"

/**
 * The cluster's number and the database's in it: a dump has neither. A physical copy of the cluster, as its replicas are, has both.
 * Undefined if the user may not read them.
 */
export const identityOf = (query: Query): Effect.Effect<string | undefined, SqlError> =>
  query<readonly [string]>(
    "SELECT system_identifier || '/' || oid FROM pg_control_system(), pg_database WHERE datname = current_database()"
  ).pipe(
    Effect.map(([row]) => row?.[0]),
    Effect.catchIf(
      ({ reason }) => reason._tag === "AuthorizationError",
      () => Effect.undefined
    )
  )
