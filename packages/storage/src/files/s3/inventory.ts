import { createHash } from "node:crypto"
import { Effect, type Scope, Stream } from "effect"
import { openBucket } from "./Bucket.ts"
import { refusing } from "./checks.ts"
import { readObject } from "./readObject.ts"
import type { S3Options } from "./S3Options.ts"

/** Reads a bucket while a server may use it. Changes nothing. A failure is the defect `FilesRefused`. */
export interface Inventory {
  /** The URL of a content, for messages. */
  readonly at: (key: string) => string
  /** The size of each content in bytes by key, by one listing. */
  readonly sizes: Effect.Effect<ReadonlyMap<string, number>>
  /** Reads all of a content and returns its hash. */
  readonly hashOf: (key: string, sizeBytes: number) => Effect.Effect<string>
}

export const openInventory = (options: S3Options): Effect.Effect<Inventory, never, Scope.Scope> =>
  Effect.map(openBucket(options), (bucket): Inventory => {
    return {
      at: (key) => bucket.at(bucket.nameOf(key)),
      sizes: refusing(
        bucket,
        "ListObjectsV2",
        Effect.map(
          Stream.runCollect(bucket.list),
          (listed) => new Map(listed.map(({ key, sizeBytes }) => [key, sizeBytes]))
        )
      ),
      hashOf: Effect.fnUntraced(function* (key, sizeBytes) {
        const hash = createHash("sha256")
        const read = Effect.flatMap(readObject(bucket, key, 0, sizeBytes), (bytes) =>
          Stream.runForEach(bytes, (chunk) => Effect.sync(() => hash.update(chunk)))
        )
        yield* refusing(bucket, "GetObject", Effect.scoped(read))
        return hash.digest("hex")
      })
    }
  })
