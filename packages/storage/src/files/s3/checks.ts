import { AbortMultipartUploadCommand, CreateMultipartUploadCommand, ListObjectsV2Command } from "@aws-sdk/client-s3"
import { Effect } from "effect"
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

/** Marks the contents below the prefix as the installation's. Another database would remove them all as orphans. */
export const claimBucket = (bucket: Bucket, installation: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const key = `${bucket.prefix}${ownerName}`
    const text = yield* bucket.readText(key)
    if (text === undefined) return yield* bucket.writeText(key, `${JSON.stringify({ installation })}\n`)
    if (installationIn(text) === installation) return
    return yield* Effect.die(
      new FilesRefused(
        "bucket",
        bucket.at(bucket.prefix),
        "the files here belong to another installation, with another database: give each a bucket or a prefix of its own, " +
          `or restore its database; if they do belong to this one, remove ${bucket.at(key)}`
      )
    )
  }).pipe(Effect.catch((failure) => Effect.die(refusalOf(bucket.at(bucket.prefix), failure))))

const installationIn = (text: string): unknown => {
  try {
    return (JSON.parse(text) as { readonly installation?: unknown } | null)?.installation
  } catch {
    return undefined
  }
}
