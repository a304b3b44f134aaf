import type { Store } from "@tapedeck/core"
import { Effect, Stream } from "effect"

/** The first `length` bytes of a file, or those from `start`; undefined where there is no such file. */
export const readAll = Effect.fnUntraced(function* (store: Store, id: string, length: number, start = 0) {
  const stream = yield* store.files.read(id, start, length)
  return stream === undefined ? undefined : Buffer.concat([...(yield* Stream.runCollect(stream))])
})
