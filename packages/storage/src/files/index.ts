import type { FileContent, FileRepository } from "@tapedeck/core"
import { Effect, Stream } from "effect"

/** Files in memory, until those on disk are there: nothing of them is kept. */
export const makeTemporaryFiles = (): FileRepository => {
  const files = new Map<string, FileContent>()
  return {
    save: (id, content) => Effect.sync(() => void files.set(id, content)),
    write: (id, bytes) =>
      Effect.map(Stream.runCollect(bytes), (pieces) => {
        const whole = new Uint8Array(Buffer.concat(pieces))
        files.set(id, { kind: "bytes", bytes: whole })
        return whole.length
      }),
    remove: (id) => Effect.sync(() => void files.delete(id)),
    read: (id, start, length) =>
      Effect.sync(() => {
        const content = files.get(id)
        if (content === undefined) return undefined
        if (content.kind === "bytes") return Stream.succeed(content.bytes.subarray(start, start + length))
        return Stream.succeed(new Uint8Array(Math.max(0, Math.min(length, content.sizeBytes - start))))
      })
  }
}
