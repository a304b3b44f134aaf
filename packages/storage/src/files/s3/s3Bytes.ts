import { Clock, Effect, Semaphore, Stream } from "effect"
import type { Bytes, Received } from "../Bytes.ts"
import { diskBytes } from "../disk.ts"
import { abortStale } from "./abortStale.ts"
import { type Bucket, openBucket } from "./Bucket.ts"
import { claim, findUsable } from "./checks.ts"
import { Holds } from "./Holds.ts"
import { readObject } from "./reading.ts"
import type { S3Options } from "./S3Options.ts"
import { type S3Failure, troubleAt } from "./trouble.ts"
import { upload } from "./upload.ts"

/** How many files are on their way into the bucket at a time; others wait on the disk. Each takes 32 MiB of memory at most. */
const uploadsAtOnce = 4

/** Others may be uploading: what is younger is left alone. */
const staleMs = 24 * 3_600_000

/**
 * Bytes in a bucket. They are received on the disk, since only their end says what they are called, and there are no renames
 * in a bucket; then they are put under their hash before anybody speaks of them, and stay on the disk until that is certain.
 */
export const s3Bytes = Effect.fnUntraced(function* (options: S3Options) {
  const bucket = yield* openBucket(options)
  yield* findUsable(bucket)
  const disk = yield* diskBytes({ directory: options.temporary, temporary: options.temporary })
  const isShared = options.isShared ?? false
  const orDie = (sha256: string) => dyingAt(bucket.at(bucket.keyOf(sha256)))
  const remove = (sha256: string) => orDie(sha256)(bucket.remove(sha256))
  const holds = new Holds(remove)
  const uploads = Semaphore.makeUnsafe(uploadsAtOnce)

  /** Puts it there, unless it is. */
  const store = (received: Received): Effect.Effect<void> => {
    const { sha256, sizeBytes } = received
    const stored = Effect.flatMap(bucket.sizeOf(sha256), (found) =>
      found === sizeBytes ? Effect.void : uploads.withPermits(1)(upload(bucket, received))
    )
    return holds.alone(sha256, orDie(sha256)(stored))
  }
  const drop = (received: Received) => Effect.ensuring(disk.drop(received), logged(holds.leave(received.sha256)))

  const service: Bytes = {
    receive: (bytes) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(disk.receive(bytes)), (received) => {
          holds.enter(received.sha256)
          return Effect.as(
            Effect.onError(restore(store(received)), () => drop(received)),
            received
          )
        })
      ),

    place: (received) =>
      isShared ? Effect.uninterruptible(store(received)) : Effect.sync(() => holds.keep(received.sha256)),

    drop,

    read: (sha256, start, length) =>
      Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => holds.enter(sha256)),
          () => logged(holds.leave(sha256))
        )
        const bytes = yield* orDie(sha256)(readObject(bucket, sha256, start, length))
        return Stream.catch(bytes, (failure) => Stream.die(troubleAt(bucket.at(bucket.keyOf(sha256)), failure)))
      }),

    retire: (sha256) => (isShared ? Effect.as(remove(sha256), Effect.void) : Effect.sync(() => holds.retire(sha256))),

    list: Stream.unwrap(
      Effect.map(Clock.currentTimeMillis, (now) =>
        bucket.list.pipe(
          // What others have just put there is not committed yet.
          Stream.filter(({ changedAt }) => !isShared || changedAt < now - staleMs),
          Stream.map(({ sha256 }) => sha256),
          Stream.catch((failure) => Stream.die(troubleAt(bucket.at(bucket.prefix), failure)))
        )
      )
    ),

    clean: Effect.andThen(disk.clean, abortOld(bucket)),

    claim: (installation) => claim(bucket, installation)
  }
  return service
})

const dyingAt =
  (path: string) =>
  <A, R>(effect: Effect.Effect<A, S3Failure, R>): Effect.Effect<A, never, R> =>
    Effect.catch(effect, (failure) => Effect.die(troubleAt(path, failure)))

/** Whoever stops reading can do nothing about it; the next start finds what is left. */
const logged = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchCause(effect, (cause) => Effect.logWarning("A file that nobody needs could not be removed", cause))

/** It costs money that they are there, and nothing else. */
const abortOld = (bucket: Bucket): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => abortStale(bucket, now - staleMs)).pipe(
    Effect.asVoid,
    Effect.catch(({ code, status }) =>
      Effect.logWarning("Uploads that a crash left in the bucket could not be looked for", { code, status })
    )
  )
