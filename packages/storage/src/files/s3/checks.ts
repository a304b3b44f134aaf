import { AbortMultipartUploadCommand, CreateMultipartUploadCommand, ListObjectsV2Command } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import type { Owner } from "../Bytes.ts"
import { type Bucket, request } from "./Bucket.ts"
import { FilesRefused, refusalOf } from "./errors.ts"

/**
 * Checks at start that the bucket exists, and that the credentials may list it and write to it. Leaves nothing, even in a bucket
 * with versions.
 */
export const checkUsable = (bucket: Bucket): Effect.Effect<void> => {
  const { client, name, prefix } = bucket
  const listing = new ListObjectsV2Command({ Bucket: name, Prefix: `${prefix}.none/`, MaxKeys: 1 })
  const named = { Bucket: name, Key: `${prefix}.writable` }
  return Effect.gen(function* () {
    yield* request(() => client.send(listing))
    const { UploadId } = yield* request(() => client.send(new CreateMultipartUploadCommand(named)))
    yield* request(() => client.send(new AbortMultipartUploadCommand({ ...named, UploadId })))
  }).pipe(Effect.catch((failure) => Effect.die(refusalOf(bucket.at(prefix), failure))))
}

/** The object that says to which installation the contents belong. */
const ownerName = "tapedeck.json"

/**
 * Marks the contents below the prefix as the owner's. Another database, or an older copy of its own, would remove them as orphans.
 * A mark without a database is of SQLite, or of an older version: it becomes the one of the first database that knows its own.
 */
export const claimBucket = (bucket: Bucket, owner: Owner): Effect.Effect<void> =>
  Effect.gen(function* () {
    const key = `${bucket.prefix}${ownerName}`
    const text = yield* bucket.readText(key)
    const found = text === undefined ? owner : ownerIn(text)
    if (found?.installation === owner.installation && (found.database ?? owner.database) === owner.database) {
      const isMarked = text !== undefined && found.database === owner.database
      return isMarked ? undefined : yield* bucket.writeText(key, `${JSON.stringify(owner)}\n`)
    }
    return yield* Effect.die(
      new FilesRefused(
        "bucket",
        bucket.at(bucket.prefix),
        "the files here belong to another installation, or to the database that this one was restored or copied from, and its " +
          "unused files would be removed: give each a copy of the files, with a bucket or a prefix of its own; if the other " +
          `database is not used any more, remove ${bucket.at(key)}`
      )
    )
  }).pipe(Effect.catch((failure) => Effect.die(refusalOf(bucket.at(bucket.prefix), failure))))

const ownerIn = (text: string): Partial<Owner> | null => {
  try {
    return JSON.parse(text) as Partial<Owner> | null
  } catch {
    return null
  }
}
