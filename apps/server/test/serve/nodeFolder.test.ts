import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { type DataDirectory, openDataDirectory } from "../../src/config/dataDirectory.ts"
import { cleanDeadFolders, withNodeFolder } from "../../src/serve/nodeFolder.ts"
import { aDirectory } from "../media/programs.ts"

const start = (directory: DataDirectory) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const node = yield* Scope.provide(withNodeFolder(directory), scope)
    return { ...node, stop: Scope.close(scope, Exit.void) }
  })

const work = ({ temporary, uploads }: DataDirectory, id: string) => {
  mkdirSync(join(temporary, "media-1"))
  writeFileSync(join(temporary, "media-1", "original"), "half a video")
  writeFileSync(join(temporary, "incoming.part"), "half an upload")
  writeFileSync(join(uploads, `${id}.bin`), id)
  writeFileSync(join(uploads, `${id}.json`), "{}")
}

/** What a process leaves that is killed: its folder without a locked lock. */
const killed = (directory: DataDirectory, id: string) => {
  const temporary = join(directory.temporary, "00000000-0000-4000-8000-000000000000")
  const left = { ...directory, temporary, uploads: join(temporary, "uploads") }
  mkdirSync(left.uploads, { recursive: true })
  writeFileSync(join(temporary, "lock.db"), "")
  work(left, id)
  return left
}

describe("Processes that share a data directory", () => {
  it("keep their temporary files while another starts and stops", () =>
    Effect.gen(function* () {
      const directory = openDataDirectory(aDirectory())
      const first = yield* start(directory)
      work(first, "a")
      const second = yield* start(directory)
      expect(second.temporary).not.toBe(first.temporary)
      yield* cleanDeadFolders(directory.temporary, null)
      yield* second.stop
      expect(existsSync(second.temporary)).toBe(false)
      expect(readdirSync(first.temporary)).toEqual(expect.arrayContaining(["incoming.part", "media-1", "uploads"]))
      expect(readdirSync(first.uploads)).toEqual(["a.bin", "a.json"])
      yield* first.stop
    }).pipe(Effect.runPromise))

  it("take over the uploads of a process that has ended, and remove its other files", () =>
    Effect.gen(function* () {
      const directory = openDataDirectory(aDirectory())
      const stopped = yield* start(directory)
      work(stopped, "a")
      yield* stopped.stop
      const dead = killed(directory, "b")
      const next = yield* start(directory)
      expect(readdirSync(next.uploads)).toEqual(["a.bin", "a.json", "b.bin", "b.json"])
      expect(readFileSync(join(next.uploads, "b.bin"), "utf8")).toBe("b")
      expect([existsSync(stopped.temporary), existsSync(dead.temporary)]).toEqual([false, false])
      yield* next.stop
    }).pipe(Effect.runPromise))

  it("remove the files of one that ends meanwhile, and leave its uploads to the next start", () =>
    Effect.gen(function* () {
      const directory = openDataDirectory(aDirectory())
      const node = yield* start(directory)
      const dead = killed(directory, "b")
      mkdirSync(join(directory.temporary, "other"))
      yield* cleanDeadFolders(directory.temporary, null)
      expect(readdirSync(dead.temporary)).toEqual(["lock.db", "uploads"])
      expect(readdirSync(dead.uploads)).toEqual(["b.bin", "b.json"])
      expect(existsSync(join(directory.temporary, "other"))).toBe(true)
      yield* node.stop
    }).pipe(Effect.runPromise))
})
