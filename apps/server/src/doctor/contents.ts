import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { type ContentRow, contentsIn, knownContents } from "@tapedeck/storage/sqlite"
import { contentName, readThrough } from "../backup/layout.ts"
import type { DataDirectory } from "../dataDirectory.ts"
import { type Finding, findingsOf, note } from "./Finding.ts"

/**
 * Whether the content that the database names is there, with its size and, if `deep`, its bytes; and whether there is some
 * that it does not name. A server may remove or add content meanwhile: what seems wrong is looked at once more.
 */
export const contents = async (
  directory: DataDirectory,
  named: ReadonlyArray<ContentRow>,
  deep: boolean
): Promise<ReadonlyArray<Finding>> => {
  const faults = new Map<string, string>()
  for (const content of named) {
    const text = await faultOf(directory, content, deep)
    if (text !== undefined) faults.set(content.sha256, text)
  }
  const still = faults.size === 0 ? new Set() : new Set(contentsIn(directory.database).map(({ sha256 }) => sha256))
  const texts = [...faults].filter(([sha256]) => still.has(sha256)).map(([, text]) => text)
  const orphans = unknownIn(directory)
  return [
    ...findingsOf("files", texts, `${named.length} contents, each there with its ${deep ? "bytes" : "size"}`),
    ...(orphans === 0
      ? []
      : [note("files", `${orphans} contents that the database does not name: the next start removes them`)])
  ]
}

const faultOf = async ({ path }: DataDirectory, { sha256, sizeBytes }: ContentRow, deep: boolean) => {
  const file = join(path, contentName(sha256))
  try {
    const found = statSync(file).size
    if (found !== sizeBytes) return `${file}: ${found} bytes, not ${sizeBytes}`
    return deep && (await readThrough(file)).sha256 !== sha256
      ? `${file}: its bytes are not those that were stored`
      : undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return `${file}: ${code === "ENOENT" ? "it is not there" : message}`
  }
}

const unknownIn = ({ database, files }: DataDirectory): number => {
  if (!existsSync(files)) return 0
  const there = readdirSync(files, { recursive: true, encoding: "utf8" }).flatMap(
    (name) => /\/([0-9a-f]{64})$/.exec(name)?.[1] ?? []
  )
  // After the listing: what came meanwhile is known by then, but for what is not committed yet.
  const known = knownContents(database)
  return there.filter((sha256) => !known.has(sha256)).length
}
