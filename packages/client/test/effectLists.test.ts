import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { clientOf, page } from "./support/effect.ts"
import { reply } from "./support/fake.ts"

describe("a list", () => {
  it.effect("is a stream of all records, one request a page, in which no record occurs twice", () => {
    const { run, seen } = clientOf([reply(200, page(["a", "b"], 4, 1, 2)), reply(200, page(["b", "c", "d"], 5, 2, 3))])
    return Effect.gen(function* () {
      const all = yield* run((tapedeck) => Stream.runCollect(tapedeck.settings.folders.list()))
      expect(all.map(({ id }) => id)).toEqual(["a", "b", "c", "d"])
      expect(seen.map(({ url }) => url.search)).toEqual(["", "?page=2"])
    })
  })

  it.effect("reads the page before again if the count fell, because records were deleted", () => {
    const { run, seen } = clientOf([
      reply(200, page(["a", "b"], 4, 1, 2)),
      reply(200, page(["d"], 3, 2)),
      reply(200, page(["b", "c"], 3, 1, 2)),
      reply(200, page(["d"], 3, 2))
    ])
    return Effect.gen(function* () {
      const all = yield* run((tapedeck) => Stream.runCollect(tapedeck.settings.folders.list()))
      expect(all.map(({ id }) => id)).toEqual(["a", "b", "d", "c"])
      expect(seen.map(({ url }) => url.search)).toEqual(["", "?page=2", "?page=1", "?page=2"])
    })
  })

  it.effect("requests only pages that are read, starts at the given one, and can return one page", () => {
    const { run, seen } = clientOf([reply(200, page(["c", "d"], 9, 2, 3))])
    return Effect.gen(function* () {
      const two = run((tapedeck) => Stream.runCollect(Stream.take(tapedeck.settings.folders.list({ page: 2 }), 2)))
      expect((yield* two).map(({ id }) => id)).toEqual(["c", "d"])
      expect(seen.map(({ url }) => url.search)).toEqual(["?page=2"])
      const { pagination } = yield* run((tapedeck) => tapedeck.settings.folders.listPage({ page: 2 }))
      expect(pagination).toMatchObject({ count: 9, page: 2 })
    })
  })

  it.effect.each<[string, (number: number) => object, Array<string>, number]>([
    ["next_page stays the same", () => page(["a", "b"], 9, 1, 1), ["a", "b"], 1],
    ["pages are empty", (n) => page([], 9, n, n + 1), [], 1],
    ["a page repeats", (n) => page(["a", "b"], 5, n, n + 1), ["a", "b"], 3]
  ])("ends if %s", ([, body, ids, requests]) => {
    const { run, seen } = clientOf([() => Response.json(body(seen.length))])
    return Effect.gen(function* () {
      const all = yield* run((tapedeck) => Stream.runCollect(Stream.take(tapedeck.settings.folders.list(), 5000)))
      expect(all.map(({ id }) => id)).toEqual(ids)
      expect(seen).toHaveLength(requests)
    })
  })

  it.effect("fails after 1,000 pages in a row without a new record", () => {
    const { run, seen } = clientOf([
      () => Response.json({ pagination: { count: 9, next_cursor: String(seen.length) }, deliveries: [] })
    ])
    return Effect.gen(function* () {
      const error = yield* Effect.flip(run((tapedeck) => Stream.runDrain(tapedeck.settings.deliveries.list())))
      expect(error._tag).toBe("SchemaError")
      expect(error.message).toContain("1000 pages added nothing")
      expect(seen).toHaveLength(1000)
    })
  })

  it.effect.each([
    [{ folders: [] }, "pagination"],
    [{ pagination: { count: 1 } }, "folders"],
    [{}, "pagination"]
  ] as const)("fails with a SchemaError if the body is no page: %j", ([body, missing]) => {
    const { run } = clientOf([reply(200, body)])
    return Effect.gen(function* () {
      for (const call of [
        run((tapedeck) => Stream.runDrain(tapedeck.settings.folders.list())),
        run((tapedeck) => tapedeck.settings.folders.listPage())
      ]) {
        const error = yield* Effect.flip(Effect.asVoid(call))
        expect(error._tag).toBe("SchemaError")
        expect(error.message).toContain(missing)
      }
    })
  })

  it.effect("fails with the error of a refused page", () => {
    const { run } = clientOf([reply(200, page(["a", "b"], 4, 1, 2)), reply(403, { error: "no" })])
    return Effect.gen(function* () {
      const error = yield* Effect.flip(run((tapedeck) => Stream.runDrain(tapedeck.settings.folders.list())))
      expect(error._tag).toBe("Forbidden")
    })
  })
})
