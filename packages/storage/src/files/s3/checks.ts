import { AbortMultipartUploadCommand, CreateMultipartUploadCommand, ListObjectsV2Command } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import { asking, type Bucket } from "./Bucket.ts"
import { FilesRefused, refusalOf } from "./trouble.ts"

/**
 * Whether there is such a bucket, and these credentials may list it and write to it: found at start, not with the first upload. It leaves
 * nothing, also where the bucket keeps every version of an object.
 */
export const findUsable = (bucket: Bucket): Effect.Effect<void> => {
  const { client, name, prefix } = bucket
  const listing = new ListObjectsV2Command({ Bucket: name, Prefix: `${prefix}.none/`, MaxKeys: 1 })
  const named = { Bucket: name, Key: `${prefix}.writable` }
  return Effect.gen(function* () {
    yield* asking(() => client.send(listing))
    const { UploadId } = yield* asking(() => client.send(new CreateMultipartUploadCommand(named)))
    yield* asking(() => client.send(new AbortMultipartUploadCommand({ ...named, UploadId })))
  }).pipe(Effect.catch((failure) => Effect.die(refusalOf(bucket.at(prefix), failure))))
}

/** Beside the content: which installation's it is. */
const ownerName = "tapedeck.json"

/**
 * Says whose content is below the prefix. A database that knows nothing of it, be it new or another's, would take it all for
 * orphans, and remove it.
 */
export const claim = (bucket: Bucket, installation: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const key = `${bucket.prefix}${ownerName}`
    const text = yield* bucket.readText(key)
    if (text === undefined) return yield* bucket.writeText(key, `${JSON.stringify({ installation })}\n`)
    if (installationIn(text) === installation) return
    return yield* Effect.die(
      new FilesRefused(
        "bucket",
        bucket.at(bucket.prefix),
        "the files here are those of another installation, with another database: give each a bucket or a prefix of its own, " +
          `or restore its database; if they are this one's all the same, remove ${bucket.at(key)}`
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
