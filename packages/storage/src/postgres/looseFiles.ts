import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { lstat, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Database } from "../sql/database/Database.ts"

/** A folder of temporary files that processes share: each works in a folder of its own there, named by a UUID. */
export interface SharedFolder {
  readonly path: string
  /** Time without a change, by the database's clock, after which files that belong to no process are removed. */
  readonly looseMs: number
}

const isOwned = (name: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)

const prefix = "loose_file "

/** Returns a text that changes with a file, or with any file of a folder. Its times distinguish versions, and are not ages. */
const versionOf = async (path: string): Promise<string> => {
  const { ino, mtimeMs, size } = await lstat(path)
  return `${path} ${ino} ${size} ${mtimeMs}`
}

const fingerprintOf = async (path: string): Promise<string> => {
  const stat = await lstat(path)
  const below = stat.isDirectory() ? (await readdir(path, { recursive: true })).sort() : []
  const versions = await Promise.all([path, ...below.map((name) => join(path, name))].map(versionOf))
  return createHash("sha256").update(versions.join("\n")).digest("base64url")
}

const looseFilesIn = async (folder: string) => {
  const loose: Array<{ readonly path: string; readonly row: string }> = []
  const names = existsSync(folder) ? await readdir(folder) : []
  for (const name of names.sort()) {
    const path = join(folder, name)
    // A file that changes meanwhile is looked at again the next time.
    const fingerprint = isOwned(name) ? undefined : await fingerprintOf(path).catch(() => undefined)
    if (fingerprint !== undefined) loose.push({ path, row: prefix + fingerprint })
  }
  return loose
}

/** Removes what has been unchanged for long enough, and remembers in the database since when the rest is known. */
export const removeLooseFiles = Effect.fnUntraced(function* (
  { now, query, write }: Pick<Database, "now" | "query" | "write">,
  { looseMs, path: folder }: SharedFolder
) {
  const at = yield* now
  for (const { path, row } of yield* Effect.promise(() => looseFilesIn(folder))) {
    const since = yield* write(
      Effect.gen(function* () {
        yield* query("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", row, String(at))
        const [known] = yield* query<readonly [string]>("SELECT value FROM meta WHERE name = ?", row)
        return Number(known?.[0] ?? at)
      })
    )
    if (at - since >= looseMs) yield* Effect.promise(() => rm(path, { recursive: true, force: true }))
  }
  // Removes the rows of files that were removed, or have changed.
  yield* write(query("DELETE FROM meta WHERE name LIKE ? AND value::bigint <= ?", `${prefix}%`, at - 2 * looseMs))
})
