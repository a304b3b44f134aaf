import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { loadInventory, type S3Options } from "@tapedeck/storage/files"
import { Effect, type Scope } from "effect"
import { contentName, readThrough } from "../backup/layout.ts"
import type { DataDirectory } from "../dataDirectory.ts"

/** The stored content, as far as `doctor` checks it. */
export interface ContentStore {
  readonly at: (sha256: string) => string
  /** Undefined if it is missing. */
  readonly sizeOf: (sha256: string) => number | undefined
  /** Reads the whole content. */
  readonly hashOf: (sha256: string, sizeBytes: number) => Promise<string>
  readonly names: () => ReadonlyArray<string>
}

export const contentOnDisk = ({ files, path }: DataDirectory): ContentStore => {
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

/** From one listing of the bucket. */
export const contentInBucket = (options: S3Options): Effect.Effect<ContentStore, never, Scope.Scope> =>
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
