import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../sql/Database.ts"
import { migrations } from "../sql/migrations/index.ts"

/** What sessions are called in `pg_stat_activity`: by the version of the database that their program is for. */
const prefix = "tapedeck/"

/** What a node's sessions are called. */
export const nodeName = `${prefix}${migrations.length}`

/** What the sessions of a command are called that works on a database while no node does. */
export const commandName = "tapedeck command"

const select = `SELECT count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND (application_name = 'tapedeck' OR application_name LIKE '${prefix}%')
    AND application_name <> ?`

const nodesBut = ({ query }: Pick<Database, "query">, name: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(query<[number]>(select, name), ([row]) => Number(row![0]) > 0)

/** Whether nodes of another version are at work on the database. */
export const otherVersionAtWork = (database: Pick<Database, "query">) => nodesBut(database, nodeName)

/** Whether any node is. For a command. */
export const nodeAtWork = (database: Pick<Database, "query">) => nodesBut(database, commandName)
