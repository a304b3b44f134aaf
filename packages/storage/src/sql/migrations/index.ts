import type { Migration } from "../database/migrate.ts"
import { initial } from "./0001_initial.ts"

/** Every version of the database, in order. A released one never changes: the next one changes what it made. */
export const migrations: ReadonlyArray<Migration> = [initial]
