import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { mapYielding } from "../src/index.ts"

const kib = 1024

/** The items that were mapped before another fiber, which begins with them, has its turn. */
const mappedAtOnce = async (sizes: ReadonlyArray<number>) => {
  const mapped: Array<number> = []
  const other = Effect.sync(() => mapped.length)
  const program = Effect.gen(function* () {
    const mapping = yield* Effect.forkChild(
      mapYielding(
        sizes,
        (size) => {
          mapped.push(size)
          return size * 2
        },
        (_, size) => size
      )
    )
    const before = yield* Fiber.join(yield* Effect.forkChild(other))
    return { before, results: yield* Fiber.join(mapping) }
  })
  return Effect.runPromise(program)
}

it("maps small items in one go", async () => {
  expect(await mappedAtOnce([1, 2, 3])).toEqual({ before: 3, results: [2, 4, 6] })
  expect(await mappedAtOnce([])).toEqual({ before: 0, results: [] })
})

it("lets other fibers run after 256 KiB, and keeps the order", async () => {
  const sizes = [100 * kib, 156 * kib, 1, 2]
  expect(await mappedAtOnce(sizes)).toEqual({ before: 2, results: sizes.map((size) => size * 2) })
  expect((await mappedAtOnce([100 * kib, 156 * kib - 1, 1, 2])).before).toBe(3)
  expect((await mappedAtOnce([300 * kib, 300 * kib])).before).toBe(1)
})
