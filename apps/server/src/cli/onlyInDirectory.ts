import { type Config, ConfigInvalid } from "../config/Config.ts"

/**
 * Refuses what is for the database in a data directory where another is set: an older database that is still in the directory
 * would be taken for the present one.
 */
export const onlyInDirectory = ({ database_url }: Config, command: string, instead: string): void => {
  if (database_url === undefined) return
  throw new ConfigInvalid(
    `TAPEDECK_DATABASE_URL: tapedeck ${command} is for the database in a data directory; ${instead}`
  )
}
