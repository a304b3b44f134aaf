import { Clock, Effect, Semaphore, Stream } from "effect"
import type { Bytes, Received } from "../Bytes.ts"
import { diskBytes } from "../disk.ts"
import { abortStale } from "./abortStale.ts"
import { type Bucket, openBucket } from "./Bucket.ts"
import { ContentUse } from "./ContentUse.ts"
import { checkUsable, claimBucket } from "./checks.ts"
import { fileErrorAt, type S3Failure } from "./errors.ts"
import { readObject } from "./readObject.ts"
import type { S3Options } from "./S3Options.ts"
import { upload } from "./upload.ts"

/** Maximum number of concurrent uploads; other files wait on the disk. Each takes at most 32 MiB of memory. */
const maxUploads = 4

/** Younger objects and uploads are ignored: another process may still be uploading them. */
const staleMs = 24 * 3_600_000

/**
 * Contents in a bucket. They are received on the disk, because their hash is known only at the end, and a bucket has no renames.
 * Then they are uploaded under their hash, before a row refers to them, and stay on the disk until that row is committed.
 */
export const s3Bytes = Effect.fnUntraced(function* (options: S3Options) {
  const bucket = yield* openBucket(options)
  yield* checkUsable(bucket)
  const disk = yield* diskBytes({ directory: options.temporary, temporary: options.temporary })
  const isShared = options.isShared ?? false
  const orDie = (sha256: string) => dyingAt(bucket.at(bucket.keyOf(sha256)))
  const remove = (sha256: string) => orDie(sha256)(bucket.remove(sha256))
  const use = new ContentUse(remove)
  const uploads = Semaphore.makeUnsafe(maxUploads)

  /** Uploads the content, unless the object exists. */
  const store = (received: Received): Effect.Effect<void> => {
    const { sha256, sizeBytes } = received
    const stored = Effect.flatMap(bucket.sizeOf(sha256), (found) =>
      found === sizeBytes ? Effect.void : uploads.withPermits(1)(upload(bucket, received))
    )
    return use.exclusively(sha256, orDie(sha256)(stored))
  }
  const drop = (received: Received) => Effect.ensuring(disk.drop(received), logged(use.leave(received.sha256)))

  const service: Bytes = {
    receive: (bytes) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(disk.receive(bytes)), (received) => {
          use.enter(received.sha256)
          return Effect.as(
            Effect.onError(restore(store(received)), () => drop(received)),
            received
          )
        })
      ),

    place: (received) =>
      isShared ? Effect.uninterruptible(store(received)) : Effect.sync(() => use.keep(received.sha256)),

    drop,

    read: (sha256, start, length) =>
      Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => use.enter(sha256)),
          () => logged(use.leave(sha256))
        )
        const bytes = yield* orDie(sha256)(readObject(bucket, sha256, start, length))
        return Stream.catch(bytes, (failure) => Stream.die(fileErrorAt(bucket.at(bucket.keyOf(sha256)), failure)))
      }),

    retire: (sha256) => (isShared ? Effect.as(remove(sha256), Effect.void) : Effect.sync(() => use.retire(sha256))),

    list: Stream.unwrap(
      Effect.map(Clock.currentTimeMillis, (now) =>
        bucket.list.pipe(
          // Another process may not have committed a recent upload yet.
          Stream.filter(({ changedAt }) => !isShared || changedAt < now - staleMs),
          Stream.map(({ sha256 }) => sha256),
          Stream.catch((failure) => Stream.die(fileErrorAt(bucket.at(bucket.prefix), failure)))
        )
      )
    ),

    clean: Effect.andThen(disk.clean, abortOld(bucket)),

    checkFreeSpace: Effect.void,

    claim: (installation) => Effect.flatMap(installation, (id) => claimBucket(bucket, id))
  }
  return service
})

const dyingAt =
  (path: string) =>
  <A, R>(effect: Effect.Effect<A, S3Failure, R>): Effect.Effect<A, never, R> =>
    Effect.catch(effect, (failure) => Effect.die(fileErrorAt(path, failure)))

/** The reader cannot handle the error; the next start removes what is left. */
const logged = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchCause(effect, (cause) => Effect.logWarning("An unused file could not be removed", cause))

/** A failure is logged only: what is left costs money, and nothing else. */
const abortOld = (bucket: Bucket): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => abortStale(bucket, now - staleMs)).pipe(
    Effect.asVoid,
    Effect.catch(({ code, status }) =>
      Effect.logWarning("Unfinished uploads in the bucket could not be aborted", { code, status })
    )
  )
