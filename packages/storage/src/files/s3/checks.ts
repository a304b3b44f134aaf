import { AbortMultipartUploadCommand, CreateMultipartUploadCommand, ListObjectsV2Command } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import type { Owner } from "../Bytes.ts"
import { claimPlace, markName } from "../claimPlace.ts"
import { FilesRefused } from "../errors.ts"
import { type Bucket, request } from "./Bucket.ts"
import { refusalOf, type S3Failure } from "./errors.ts"

/**
 * Checks at start that the bucket exists, and that the credentials may list it and write to it. Leaves nothing, even in a bucket
 * with versions.
 */
export const checkUsable = (bucket: Bucket): Effect.Effect<void> => {
  const { client, name, prefix } = bucket
  const listing = new ListObjectsV2Command({ Bucket: name, Prefix: `${prefix}.none/`, MaxKeys: 1 })
  const named = { Bucket: name, Key: `${prefix}.writable` }
  return Effect.gen(function* () {
    yield* refusing(
      bucket,
      "ListObjectsV2",
      request(() => client.send(listing))
    )
    const { UploadId } = yield* refusing(
      bucket,
      "CreateMultipartUpload",
      request(() => client.send(new CreateMultipartUploadCommand(named)))
    )
    const abort = new AbortMultipartUploadCommand({ ...named, UploadId })
    yield* refusing(
      bucket,
      "AbortMultipartUpload",
      request(() => client.send(abort))
    )
  })
}

/** Turns the failure of an S3 operation into the defect `FilesRefused`. */
export const refusing = <A>(bucket: Bucket, operation: string, effect: Effect.Effect<A, S3Failure>): Effect.Effect<A> =>
  Effect.catch(effect, (failure) => Effect.die(refusalOf(bucket.at(bucket.prefix), operation, failure)))

/** Marks the contents below the prefix as the owner's. */
export const claimBucket = (bucket: Bucket, owner: Owner): Effect.Effect<void> => {
  const key = `${bucket.prefix}${markName}`
  const place = {
    readMark: refusing(bucket, "GetObject", bucket.readText(key)),
    // Some backends do not write on a condition: if two owners are the first at the same moment, one is refused at its next look.
    writeMark: (text: string) => Effect.as(refusing(bucket, "PutObject", bucket.writeText(key, text)), true),
    refuse: (why: string) => new FilesRefused("bucket", bucket.at(bucket.prefix), why),
    mark: bucket.at(key)
  }
  return claimPlace(place, owner)
}
