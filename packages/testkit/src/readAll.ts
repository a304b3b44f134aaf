import type { Store } from "@tapedeck/core"
import { Effect, Stream } from "effect"

/** Reads `length` bytes of a file from `start`; undefined if the file does not exist. */
export const readAll = Effect.fnUntraced(function* (store: Store, id: string, length: number, start = 0) {
  const stream = yield* store.files.read(id, start, length)
  return stream === undefined ? undefined : Buffer.concat([...(yield* Stream.runCollect(stream))])
})
