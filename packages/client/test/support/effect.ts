import { Effect, Fiber, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { Tapedeck, type TapedeckOptions } from "../../src/effect/index.ts"
import { fakeFetch, type Reply } from "./fake.ts"

export const folder = (id: string) => ({ id, name: `Folder ${id}`, created_at: "2026-01-01T00:00:00.000Z" })

export const page = (ids: ReadonlyArray<string>, count: number, number = 1, next?: number) => ({
  pagination: {
    ...{ count, page: number, items: 2, pages: 2, last_page: 2, from: number * 2 - 1, to: number * 2 },
    ...(next !== undefined && { next_page: next })
  },
  folders: ids.map(folder)
})

export const broken: Reply = () => {
  throw new TypeError("fetch failed")
}

/** The client of a service that gives these replies in turn, the last one again and again. */
export const clientOf = (replies: ReadonlyArray<Reply>, options: TapedeckOptions = {}) => {
  const { fetch, seen } = fakeFetch(replies)
  const layer = Tapedeck.layer({ baseUrl: "https://rec.test/at", token: "tdk_secret", ...options }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(Layer.succeed(FetchHttpClient.Fetch, fetch))
  )
  const run = <A, E>(use: (tapedeck: Tapedeck["Service"]) => Effect.Effect<A, E>) =>
    Effect.flatMap(Tapedeck, use).pipe(Effect.provide(layer))
  return { run, seen }
}

/** Runs it to its end, however long that takes on the virtual clock. */
export const through = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let turn = 0; turn < 20; turn += 1) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(8000)
    }
    return yield* Fiber.join(fiber)
  })
