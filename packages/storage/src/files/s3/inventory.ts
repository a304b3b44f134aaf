import { createHash } from "node:crypto"
import { Effect, type Scope, Stream } from "effect"
import { openBucket } from "./Bucket.ts"
import { readObject } from "./reading.ts"
import type { S3Options } from "./S3Options.ts"
import { refusalOf, type S3Failure } from "./trouble.ts"

/** What is in a bucket, for who looks through it beside a server. It changes nothing; where it fails it dies with `FilesRefused`. */
export interface Inventory {
  /** Where content is, as messages say it. */
  readonly at: (sha256: string) => string
  /** The bytes of each content, as one listing has them. */
  readonly sizes: Effect.Effect<ReadonlyMap<string, number>>
  /** Reads content through, and gives the hash of what it has. */
  readonly hashOf: (sha256: string, sizeBytes: number) => Effect.Effect<string>
}

export const openInventory = (options: S3Options): Effect.Effect<Inventory, never, Scope.Scope> =>
  Effect.map(openBucket(options), (bucket): Inventory => {
    const orDie = <A>(asked: Effect.Effect<A, S3Failure>) =>
      Effect.catch(asked, (failure) => Effect.die(refusalOf(bucket.at(bucket.prefix), failure)))
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
          Stream.runForEach(bytes, (piece) => Effect.sync(() => hash.update(piece)))
        )
        yield* orDie(Effect.scoped(read))
        return hash.digest("hex")
      })
    }
  })
