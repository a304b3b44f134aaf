import type { S3Options } from "@tapedeck/storage/files"
import { type ContentRow, sha256Of } from "@tapedeck/storage/sqlite"
import { Effect } from "effect"
import type { DataDirectory } from "../config/dataDirectory.ts"
import { type ContentStore, contentInBucket, contentOnDisk } from "./ContentStore.ts"
import type { DatabaseReader } from "./DatabaseReader.ts"
import { type Finding, findingsOf, note } from "./Finding.ts"

interface ContentCheck {
  readonly database: DatabaseReader
  readonly directory: DataDirectory
  /** Undefined: content is in the data directory. */
  readonly bucket: S3Options | undefined
  readonly named: ReadonlyArray<ContentRow>
  readonly deep: boolean
}

/**
 * Checks that all content in the database exists with its size and, if `deep`, its bytes, and counts content that the database
 * does not contain. A running server may add and remove content during the check, so each fault is checked twice.
 */
export const contents = (check: ContentCheck): Promise<ReadonlyArray<Finding>> =>
  check.bucket === undefined
    ? checkContents(check, contentOnDisk(check.directory))
    : Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(contentInBucket(check.bucket), (store) => Effect.promise(() => checkContents(check, store)))
        )
      )

const checkContents = async (
  { database, deep, named }: ContentCheck,
  store: ContentStore
): Promise<ReadonlyArray<Finding>> => {
  const faults = new Map<string, string>()
  for (const content of named) {
    const text = await faultOf(store, content, deep)
    if (text !== undefined) faults.set(content.key, text)
  }
  const still = new Set(faults.size === 0 ? [] : (await database.contents()).map(({ key }) => key))
  const texts = [...faults].filter(([key]) => still.has(key)).map(([, text]) => text)
  const there = store.names()
  // Read after the listing: content has a row before it is stored. Content that was removed in the meantime may count as an orphan.
  const known = there.length === 0 ? undefined : await database.knownContents()
  const orphans = there.filter((key) => known?.has(key) === false).length
  return [
    ...findingsOf("files", texts, `${named.length} contents exist, with the right ${deep ? "bytes" : "size"}`),
    ...(orphans === 0 ? [] : [note("files", `${orphans} contents are not in the database: ${database.orphanRemoval}`)])
  ]
}

const faultOf = async (store: ContentStore, { key, sizeBytes }: ContentRow, deep: boolean) => {
  const at = store.at(key)
  try {
    const found = store.sizeOf(key)
    if (found === undefined) return `${at}: missing`
    if (found !== sizeBytes) return `${at}: ${found} bytes, not ${sizeBytes}`
    return deep && (await store.hashOf(key, sizeBytes)) !== sha256Of(key)
      ? `${at}: its bytes differ from the stored hash`
      : undefined
  } catch (error) {
    return `${at}: ${(error as Error).message}`
  }
}
