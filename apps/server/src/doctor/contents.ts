import type { S3Options } from "@tapedeck/storage/files"
import type { ContentRow } from "@tapedeck/storage/sqlite"
import { Effect } from "effect"
import type { DataDirectory } from "../dataDirectory.ts"
import type { Examined } from "./Examined.ts"
import { type Finding, findingsOf, note } from "./Finding.ts"
import { type Kept, keptInBucket, keptOnDisk } from "./Kept.ts"

interface Looked {
  readonly database: Examined
  readonly directory: DataDirectory
  /** Undefined: content is in the data directory. */
  readonly bucket: S3Options | undefined
  readonly named: ReadonlyArray<ContentRow>
  readonly deep: boolean
}

/**
 * Whether the content that the database names is there, with its size and, if `deep`, its bytes; and whether there is some
 * that it does not name. A server may remove or add content meanwhile: what seems wrong is looked at once more.
 */
export const contents = (looked: Looked): Promise<ReadonlyArray<Finding>> =>
  looked.bucket === undefined
    ? lookThrough(looked, keptOnDisk(looked.directory))
    : Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(keptInBucket(looked.bucket), (kept) => Effect.promise(() => lookThrough(looked, kept)))
        )
      )

const lookThrough = async ({ database, deep, named }: Looked, kept: Kept): Promise<ReadonlyArray<Finding>> => {
  const faults = new Map<string, string>()
  for (const content of named) {
    const text = await faultOf(kept, content, deep)
    if (text !== undefined) faults.set(content.sha256, text)
  }
  const still = new Set(faults.size === 0 ? [] : (await database.contents()).map(({ sha256 }) => sha256))
  const texts = [...faults].filter(([sha256]) => still.has(sha256)).map(([, text]) => text)
  const there = kept.names()
  // After the listing: what came meanwhile is known by then, but for what is not committed yet.
  const known = there.length === 0 ? undefined : await database.knownContents()
  const orphans = there.filter((sha256) => known?.has(sha256) === false).length
  return [
    ...findingsOf("files", texts, `${named.length} contents, each there with its ${deep ? "bytes" : "size"}`),
    ...(orphans === 0
      ? []
      : [note("files", `${orphans} contents that the database does not name: the next start removes them`)])
  ]
}

const faultOf = async (kept: Kept, { sha256, sizeBytes }: ContentRow, deep: boolean) => {
  const at = kept.at(sha256)
  try {
    const found = kept.sizeOf(sha256)
    if (found === undefined) return `${at}: it is not there`
    if (found !== sizeBytes) return `${at}: ${found} bytes, not ${sizeBytes}`
    return deep && (await kept.hashOf(sha256, sizeBytes)) !== sha256
      ? `${at}: its bytes are not those that were stored`
      : undefined
  } catch (error) {
    return `${at}: ${(error as Error).message}`
  }
}
