import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { type DataDirectory, openDataDirectory } from "../../src/config/dataDirectory.ts"
import { removeDeadFolders, withNodeFolder } from "../../src/serve/nodeFolder.ts"
import { aDirectory } from "../media/programs.ts"

const start = (directory: DataDirectory) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const node = yield* Scope.provide(withNodeFolder(directory), scope)
    return { ...node, stop: Scope.close(scope, Exit.void) }
  })

const work = ({ temporary }: DataDirectory) => {
  mkdirSync(join(temporary, "media-1"))
  writeFileSync(join(temporary, "media-1", "original"), "half a video")
  writeFileSync(join(temporary, "incoming.part"), "half an upload")
}

/** What a process leaves that is killed: its folder without a locked lock. */
const killed = (directory: DataDirectory) => {
  const temporary = join(directory.temporary, "00000000-0000-4000-8000-000000000000")
  mkdirSync(temporary, { recursive: true })
  writeFileSync(join(temporary, "lock.db"), "")
  const left = { ...directory, temporary }
  work(left)
  return left
}

describe("Processes that share a data directory", () => {
  it("keep their temporary files while another starts and stops", () =>
    Effect.gen(function* () {
      const directory = openDataDirectory(aDirectory())
      const first = yield* start(directory)
      work(first)
      const second = yield* start(directory)
      expect(second.temporary).not.toBe(first.temporary)
      yield* removeDeadFolders(directory.temporary)
      yield* second.stop
      expect(existsSync(second.temporary)).toBe(false)
      expect(readdirSync(first.temporary)).toEqual(expect.arrayContaining(["incoming.part", "media-1"]))
      yield* first.stop
      expect(existsSync(first.temporary)).toBe(false)
    }).pipe(Effect.runPromise))

  it("remove the files of a process that was killed, at a start and later", () =>
    Effect.gen(function* () {
      const directory = openDataDirectory(aDirectory())
      const before = killed(directory)
      const node = yield* start(directory)
      expect(existsSync(before.temporary)).toBe(false)
      const dead = killed(directory)
      mkdirSync(join(directory.temporary, "other"))
      yield* removeDeadFolders(directory.temporary)
      expect([existsSync(dead.temporary), existsSync(join(directory.temporary, "other"))]).toEqual([false, true])
      yield* node.stop
    }).pipe(Effect.runPromise))
})
