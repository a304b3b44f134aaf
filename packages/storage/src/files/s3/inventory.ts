import { createHash } from "node:crypto"
import { Effect, type Scope, Stream } from "effect"
import { openBucket } from "./Bucket.ts"
import { refusalOf, type S3Failure } from "./errors.ts"
import { readObject } from "./readObject.ts"
import type { S3Options } from "./S3Options.ts"

/** Reads a bucket while a server may use it. Changes nothing. A failure is the defect `FilesRefused`. */
export interface Inventory {
  /** The URL of a content, for messages. */
  readonly at: (sha256: string) => string
  /** The size of each content in bytes, by one listing. */
  readonly sizes: Effect.Effect<ReadonlyMap<string, number>>
  /** Reads all of a content and returns its hash. */
  readonly hashOf: (sha256: string, sizeBytes: number) => Effect.Effect<string>
}

export const openInventory = (options: S3Options): Effect.Effect<Inventory, never, Scope.Scope> =>
  Effect.map(openBucket(options), (bucket): Inventory => {
    const orDie = <A>(requested: Effect.Effect<A, S3Failure>) =>
      Effect.catch(requested, (failure) => Effect.die(refusalOf(bucket.at(bucket.prefix), failure)))
    return {
      at: (sha256) => bucket.at(bucket.keyOf(sha256)),
      sizes: orDie(
        Effect.map(
          Stream.runCollect(bucket.list),
          (listed) => new Map(listed.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]))
        )
      ),
      hashOf: Effect.fnUntraced(function* (sha256, sizeBytes) {
        const hash = createHash("sha256")
        const read = Effect.flatMap(readObject(bucket, sha256, 0, sizeBytes), (bytes) =>
          Stream.runForEach(bytes, (chunk) => Effect.sync(() => hash.update(chunk)))
        )
        yield* orDie(Effect.scoped(read))
        return hash.digest("hex")
      })
    }
  })
