import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { loadInventory, type S3Options } from "@tapedeck/storage/files"
import { Effect, type Scope } from "effect"
import { contentName, readThrough } from "../backup/layout.ts"
import type { DataDirectory } from "../dataDirectory.ts"

/** Where content is kept, as far as `doctor` looks at it. */
export interface Kept {
  readonly at: (sha256: string) => string
  /** Undefined: it is not there. */
  readonly sizeOf: (sha256: string) => number | undefined
  /** The hash of what it has: it is read through. */
  readonly hashOf: (sha256: string, sizeBytes: number) => Promise<string>
  readonly names: () => ReadonlyArray<string>
}

export const keptOnDisk = ({ files, path }: DataDirectory): Kept => {
  const at = (sha256: string) => join(path, contentName(sha256))
  return {
    at,
    sizeOf: (sha256) => statSync(at(sha256), { throwIfNoEntry: false })?.size,
    hashOf: async (sha256) => (await readThrough(at(sha256))).sha256,
    names: () => {
      if (!existsSync(files)) return []
      const names = readdirSync(files, { recursive: true, encoding: "utf8" })
      return names.flatMap((name) => /\/([0-9a-f]{64})$/.exec(name)?.[1] ?? [])
    }
  }
}

/** As one listing of the bucket has it. */
export const keptInBucket = (options: S3Options): Effect.Effect<Kept, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { at, hashOf, sizes } = yield* (yield* Effect.promise(loadInventory))(options)
    const found = yield* sizes
    const run = Effect.runPromiseWith(yield* Effect.context())
    return {
      at,
      sizeOf: (sha256) => found.get(sha256),
      hashOf: (sha256, sizeBytes) => run(hashOf(sha256, sizeBytes)),
      names: () => [...found.keys()]
    }
  })
