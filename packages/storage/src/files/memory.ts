import { createHash } from "node:crypto"
import { Effect, Stream } from "effect"
import type { Bytes } from "./Bytes.ts"

/** Contents in memory. */
export const memoryBytes = (): Bytes => {
  const contents = new Map<string, Uint8Array>()
  const received = new Map<string, Uint8Array>()
  let count = 0
  return {
    receive: (bytes) =>
      Effect.map(Stream.runCollect(bytes), (pieces) => {
        const whole = Buffer.concat(pieces)
        const temporary = `${++count}`
        received.set(temporary, whole)
        return { sha256: createHash("sha256").update(whole).digest("hex"), sizeBytes: whole.length, temporary }
      }),
    place: ({ temporary }, key) =>
      Effect.sync(() => {
        contents.set(key, received.get(temporary)!)
      }),
    drop: ({ temporary }) => Effect.sync(() => void received.delete(temporary)),
    read: (key, start, length) =>
      Effect.suspend(() => {
        const content = contents.get(key)
        if (content === undefined) return Effect.die(new Error(`${key}: no such content`))
        return Effect.succeed(Stream.succeed(content.subarray(start, start + length)))
      }),
    remove: (key) => Effect.sync(() => void contents.delete(key)),
    list: Stream.suspend(() => Stream.fromIterable([...contents.keys()])),
    clean: Effect.sync(() => received.clear()),
    abortStale: Effect.void,
    checkFreeSpace: Effect.void,
    claim: () => Effect.void
  }
}
