import { Deferred, Effect, Exit, Fiber, Queue } from "effect"
import { describe, expect, test } from "vitest"
import { batched } from "../src/sql/deliveries/settle.ts"

type Outcome = ReadonlyArray<Exit.Exit<string>>

/** One time that all of some is done: whatever it is for, and how the test ends it. */
interface Batch {
  readonly items: ReadonlyArray<number>
  readonly done: Deferred.Deferred<Outcome>
}

const end = ({ done, items }: Batch) =>
  Deferred.succeed(
    done,
    items.map((item) => Exit.succeed(`answer ${item}`))
  )

/** Batches as those of PostgreSQL's outcomes, without a pause: each waits until the test ends it. */
const testBatches = Effect.gen(function* () {
  const batches = yield* Queue.unbounded<Batch>()
  const ask = batched<number, string>(
    (items) =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<Outcome>()
        yield* Queue.offer(batches, { items, done })
        return yield* Deferred.await(done)
      }),
    { pause: Effect.void, concurrency: 2 }
  )
  const askAll = (from: number, count: number) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => from + index),
      (item) => Effect.forkChild(Effect.withFiber((fiber) => ask(item, fiber)))
    )
  /** Once whatever can begin has begun. */
  const begun = Effect.andThen(
    Effect.forEach(Array(20), () => Effect.yieldNow, { discard: true }),
    Queue.size(batches)
  )
  return { askAll, begun, next: Queue.take(batches) }
})

const answers = (fibers: ReadonlyArray<Fiber.Fiber<string>>) => Effect.forEach(fibers, (fiber) => Fiber.join(fiber))

const answersOf = (from: number, count: number) => Array.from({ length: count }, (_, index) => `answer ${from + index}`)

describe("batches of concurrent calls", () => {
  test("run concurrently, two at most, if the second is full", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { askAll, begun, next } = yield* testBatches
        const fibers = yield* askAll(0, 600)
        const [first, second] = [yield* next, yield* next]
        expect([first.items.length, second.items.length]).toEqual([256, 256])
        expect(yield* begun).toBe(0)
        // What is left is too little for two.
        yield* end(first)
        expect(yield* begun).toBe(0)
        yield* end(second)
        const third = yield* next
        expect(third.items).toHaveLength(88)
        yield* end(third)
        expect(yield* answers(fibers)).toEqual(answersOf(0, 600))
      })
    ))

  test("wait for the batch in flight if they are not full", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { askAll, begun, next } = yield* testBatches
        const early = yield* askAll(0, 10)
        const first = yield* next
        const later = yield* askAll(10, 255)
        expect(yield* begun).toBe(0)
        const latest = yield* askAll(265, 1)
        const second = yield* next
        expect(second.items).toHaveLength(256)
        yield* end(second)
        expect(yield* answers([...later, ...latest])).toEqual(answersOf(10, 256))
        yield* end(first)
        expect(yield* answers(early)).toEqual(answersOf(0, 10))
        // Then a new batch starts.
        const anew = yield* askAll(500, 1)
        yield* end(yield* next)
        expect(yield* answers(anew)).toEqual(["answer 500"])
      })
    ))

  test("fail separately: one failed batch does not affect the others", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { askAll, next } = yield* testBatches
        const fibers = yield* askAll(0, 512)
        const [first, second] = [yield* next, yield* next]
        yield* Deferred.die(first.done, new Error("aborted"))
        yield* end(second)
        const exits = yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
        expect(exits.map(Exit.isSuccess)).toEqual(Array.from({ length: 512 }, (_, index) => index >= 256))
      })
    ))
})
