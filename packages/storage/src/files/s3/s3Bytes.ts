import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type MultipartUpload } from "@aws-sdk/client-s3"
import { Clock, Effect, Option, Semaphore, Stream } from "effect"
import type { Bytes } from "../Bytes.ts"
import { diskBytes } from "../disk.ts"
import { type Bucket, openBucket, request } from "./Bucket.ts"
import { checkUsable, claimBucket } from "./checks.ts"
import { fileErrorAt, type S3Failure } from "./errors.ts"
import { readObject } from "./readObject.ts"
import type { S3Options } from "./S3Options.ts"
import { upload } from "./upload.ts"

/** Maximum number of concurrent uploads; other files wait on the disk. Each takes at most 32 MiB of memory. */
const maxUploads = 4

/** Minimum age of an upload that is aborted: another process may still be uploading a younger one. */
const staleMs = 24 * 3_600_000

/**
 * Contents in a bucket. They are received on the disk, because their hash is known only at the end, and a bucket has no renames;
 * then they are uploaded.
 */
export const s3Bytes = Effect.fnUntraced(function* (options: S3Options) {
  const bucket = yield* openBucket(options)
  yield* checkUsable(bucket)
  const disk = yield* diskBytes({ directory: options.temporary, temporary: options.temporary })
  const uploads = Semaphore.makeUnsafe(maxUploads)
  const urlOf = (key: string) => bucket.at(bucket.nameOf(key))

  const service: Bytes = {
    receive: disk.receive,

    place: (received, key) => dyingAt(urlOf(key))(uploads.withPermits(1)(upload(bucket, received, key))),

    drop: disk.drop,

    read: Effect.fnUntraced(function* (key, start, length) {
      const bytes = yield* dyingAt(urlOf(key))(readObject(bucket, key, start, length))
      return Stream.catch(bytes, (failure) => Stream.die(fileErrorAt(urlOf(key), failure)))
    }),

    remove: (key) => dyingAt(urlOf(key))(bucket.remove(key)),

    list: bucket.list.pipe(
      Stream.map(({ key }) => key),
      Stream.catch((failure) => Stream.die(fileErrorAt(bucket.at(bucket.prefix), failure)))
    ),

    clean: disk.clean,

    abortStale: abortOld(bucket),

    checkFreeSpace: Effect.void,

    claim: Effect.flatMap((owner) => claimBucket(bucket, owner))
  }
  return service
})

const dyingAt =
  (path: string) =>
  <A, R>(effect: Effect.Effect<A, S3Failure, R>): Effect.Effect<A, never, R> =>
    Effect.catch(effect, (failure) => Effect.die(fileErrorAt(path, failure)))

/** A failure is logged only: what is left costs money, and nothing else. */
const abortOld = (bucket: Bucket): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => abortStale(bucket, now - staleMs)).pipe(
    Effect.asVoid,
    Effect.catch(({ code, status }) =>
      Effect.logWarning("Unfinished uploads in the bucket could not be aborted", { code, status })
    )
  )

/** Position at which a listing of uploads continues. */
interface Marker {
  readonly KeyMarker?: string | undefined
  readonly UploadIdMarker?: string | undefined
}

/** Aborts multipart uploads below the prefix that began before an instant: a crash left them, and the provider charges for them. */
const abortStale = (bucket: Bucket, before: number): Effect.Effect<number, S3Failure> =>
  unfinishedUploads(bucket).pipe(
    Stream.filter(({ Initiated }) => Initiated !== undefined && Initiated.getTime() < before),
    Stream.mapEffect(({ Key, UploadId }) =>
      request(() => bucket.client.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId })))
    ),
    Stream.runCount
  )

const unfinishedUploads = ({ client, name, prefix }: Bucket): Stream.Stream<MultipartUpload, S3Failure> =>
  Stream.paginate<Marker, MultipartUpload, S3Failure>({}, (after) =>
    Effect.map(
      request((abortSignal) =>
        client.send(new ListMultipartUploadsCommand({ Bucket: name, Prefix: prefix, ...after }), { abortSignal })
      ),
      ({ IsTruncated, NextKeyMarker, NextUploadIdMarker, Uploads = [] }) => [
        Uploads,
        IsTruncated === true
          ? Option.some({ KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker })
          : Option.none()
      ]
    )
  )
