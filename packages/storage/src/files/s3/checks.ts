import { AbortMultipartUploadCommand, CreateMultipartUploadCommand, ListObjectsV2Command } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import type { Owner } from "../Bytes.ts"
import { claimPlace, markName } from "../claimPlace.ts"
import { FilesRefused } from "../errors.ts"
import { type Bucket, request } from "./Bucket.ts"
import { refusalOf } from "./errors.ts"

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

/** Marks the contents below the prefix as the owner's. */
export const claimBucket = (bucket: Bucket, owner: Owner): Effect.Effect<void> => {
  const key = `${bucket.prefix}${markName}`
  const place = {
    readMark: bucket.readText(key),
    // Some backends do not write on a condition: if two owners are the first at the same moment, one is refused at its next look.
    writeMark: (text: string) => Effect.as(bucket.writeText(key, text), true),
    refuse: (why: string) => new FilesRefused("bucket", bucket.at(bucket.prefix), why),
    mark: bucket.at(key)
  }
  return Effect.catch(claimPlace(place, owner), (failure) => Effect.die(refusalOf(bucket.at(bucket.prefix), failure)))
}
