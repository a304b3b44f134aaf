import { Effect, Fiber, Stream } from "effect"
import { expect, it } from "vitest"
import { segmentPages } from "../src/pages/segmentPages.ts"
import { partInTurn } from "../src/pipeline/unsentAnswers.ts"

/** Public pages are made in parts, a bounded number at a time, and other work runs between two parts. */

it("makes at most 2 parts at a time, and others wait for their turn", async () => {
  let present = 0
  let most = 0
  let made = 0
  const part = partInTurn(
    Effect.gen(function* () {
      most = Math.max(most, ++present)
      yield* Effect.yieldNow
      present--
      made++
    })
  )
  await Effect.runPromise(Effect.replicateEffect(part, 50, { concurrency: "unbounded" }))
  expect([most, made]).toEqual([2, 50])
})

it("other work runs after each two parts, however many visitors read long transcripts", async () => {
  let reads = 0
  const visitors = 50
  const transcript = {
    status: "ready" as const,
    source: "edited" as const,
    language: null,
    segments: 100,
    speakerMap: {},
    read: () =>
      Effect.sync(() => {
        reads++
        return [{ startSeconds: 0, endSeconds: 1, text: "w".repeat(30_000), sentences: [] }]
      })
  }
  const reading = Effect.runFork(
    Effect.replicateEffect(Stream.runDrain(segmentPages(transcript)), visitors, { concurrency: "unbounded" })
  )
  let before = 0
  let most = 0
  while (reading.pollUnsafe() === undefined) {
    await new Promise(setImmediate)
    most = Math.max(most, reads - before)
    before = reads
  }
  await Effect.runPromise(Fiber.join(reading))
  expect(reads).toBeGreaterThan(visitors)
  expect(most).toBeLessThanOrEqual(4)
})

it("a visitor who leaves while waiting gives the turn to the next", async () => {
  const held = [Effect.runFork(partInTurn(Effect.never)), Effect.runFork(partInTurn(Effect.never))]
  await new Promise(setImmediate)
  const waiting = Effect.runFork(partInTurn(Effect.never))
  await Effect.runPromise(Effect.asVoid(Fiber.interrupt(waiting)))
  const last = Effect.runFork(partInTurn(Effect.succeed("made")))
  for (const fiber of held) await Effect.runPromise(Effect.asVoid(Fiber.interrupt(fiber)))
  expect(await Effect.runPromise(Fiber.join(last))).toBe("made")
})
