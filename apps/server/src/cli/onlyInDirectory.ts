import { type Config, ConfigInvalid } from "../config/Config.ts"

/**
 * Refuses a command for the database in a data directory if PostgreSQL is set: the directory may contain an older database,
 * which would be taken for the current one.
 */
export const onlyInDirectory = ({ database_url }: Config, command: string, instead: string): void => {
  if (database_url === undefined) return
  const text = `tapedeck ${command} is for the database in a data directory; ${instead}`
  throw new ConfigInvalid([{ names: ["database_url"], text }])
}
