import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/database/Database.ts"

/** The `application_name` of sessions begins so, and ends with the version of the database that their program needs. */
const prefix = "tapedeck/"

/** The `application_name` of a node's sessions. */
export const nodeName = (version: number) => `${prefix}${version}`

/** The `application_name` of a command that needs the database for itself. */
export const commandName = "tapedeck command"

const select = `SELECT count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND (application_name = 'tapedeck' OR application_name LIKE '${prefix}%')
    AND application_name <> ?`

const areOthersRunning = ({ query }: Pick<Database, "query">, name: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(query<[number]>(select, name), ([row]) => Number(row![0]) > 0)

/** Returns whether nodes of another version use the database. */
export const isOtherVersionRunning = (database: Pick<Database, "query">, version: number) =>
  areOthersRunning(database, nodeName(version))

/** Returns whether any node uses the database. For a command. */
export const isNodeRunning = (database: Pick<Database, "query">) => areOthersRunning(database, commandName)
