import { startOwnPostgres } from "../../../src/postgres/index.ts"

/** Starts a server, says where, and stays until it is killed. */
const postgres = await startOwnPostgres()
const { url } = await postgres.createDatabase()
process.stdout.write(`${url}\n`)
process.stdin.resume()
