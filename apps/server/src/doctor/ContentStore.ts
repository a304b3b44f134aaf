import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { loadInventory, type S3Options } from "@tapedeck/storage/files"
import { isContentKey } from "@tapedeck/storage/sqlite"
import { Effect, type Scope } from "effect"
import { contentName, readThrough } from "../backup/layout.ts"
import type { DataDirectory } from "../config/dataDirectory.ts"

/** The stored content, as far as `doctor` checks it. */
export interface ContentStore {
  readonly at: (key: string) => string
  /** Undefined if it is missing. */
  readonly sizeOf: (key: string) => number | undefined
  /** Reads the whole content. */
  readonly hashOf: (key: string, sizeBytes: number) => Promise<string>
  readonly names: () => ReadonlyArray<string>
}

export const contentOnDisk = ({ files, path }: DataDirectory): ContentStore => {
  const at = (key: string) => join(path, contentName(key))
  return {
    at,
    sizeOf: (key) => statSync(at(key), { throwIfNoEntry: false })?.size,
    hashOf: async (key) => (await readThrough(at(key))).sha256,
    names: () => {
      if (!existsSync(files)) return []
      const names = readdirSync(files, { recursive: true, encoding: "utf8" })
      return names.map((name) => basename(name)).filter(isContentKey)
    }
  }
}

/** The content of a bucket, from one listing. */
export const contentInBucket = (options: S3Options): Effect.Effect<ContentStore, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { at, hashOf, sizes } = yield* (yield* Effect.promise(loadInventory))(options)
    const found = yield* sizes
    const run = Effect.runPromiseWith(yield* Effect.context())
    return {
      at,
      sizeOf: (key) => found.get(key),
      hashOf: (key, sizeBytes) => run(hashOf(key, sizeBytes)),
      names: () => [...found.keys()]
    }
  })
