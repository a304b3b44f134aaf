import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type StartedProcess, startNodeWith } from "../processes.ts"

/** Starts the published server on a data directory. */
export const serve = async (program: string, directory: string, environment: Readonly<Record<string, string>> = {}) => {
  const parameters = [program, "serve", "--data", directory, "--port", "0", "--json", "--page-size", "25"]
  const server = await startNodeWith(environment, parameters)
  const { base_url: url } = JSON.parse(server.firstLine) as { readonly base_url: string }
  return { ...server, port: Number(new URL(url).port) } satisfies StartedProcess & { readonly port: number }
}

/** Starts it on a database of PostgreSQL that `seedPostgres` filled. */
export const serveOnPostgres = (program: string, directory: string, url: string) => {
  mkdirSync(directory)
  // The key of the seed's store.
  writeFileSync(join(directory, "key"), Buffer.alloc(32, 1).toString("base64"), { mode: 0o600 })
  return serve(program, directory, { TAPEDECK_DATABASE_URL: url })
}
