import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import {
  type Answer,
  documentOfWorldState,
  IdempotencyKeys,
  type KeyedRequest,
  maxKeptPerCaller,
  storeOf,
  worldStateOfDocument
} from "../src/index.ts"
import { ada, callerOf, instantAfter } from "./examples.ts"
import { makeSignInWorld } from "./signInWorld.ts"

const request: KeyedRequest = {
  caller: callerOf(ada),
  operation: "folders.create",
  key: "k1",
  path: "/api/settings/folders",
  body: new TextEncoder().encode("{}")
}

const answerOf = (body: string): Answer => ({ status: 201, headers: { "content-type": "text/plain" }, body })

/** Takes a number, which shows whether it was done, and answers with it. */
const counted = Effect.gen(function* () {
  const { nextNumber } = yield* storeOf("nextNumber")
  return { answer: answerOf(`number ${yield* nextNumber("account")}`), followUp: null }
})

const asked = <E, R>(
  run: Effect.Effect<{ answer: Answer; followUp: Effect.Effect<Answer> | null }, E, R>,
  given: Partial<KeyedRequest> = {}
) =>
  Effect.flatMap(IdempotencyKeys, ({ answer }) => answer({ ...request, ...given }, { run, refusal: () => undefined }))

describe("an effect after the commit of a keyed request", () => {
  const withFollowUp = (followUp: Effect.Effect<Answer>) => Effect.map(counted, ({ answer }) => ({ answer, followUp }))

  it("makes the answer that is stored and repeated from then on", async () => {
    const world = await makeSignInWorld()
    const mailed = withFollowUp(Effect.succeed(answerOf("mailed")))
    expect(await world.run(asked(mailed))).toEqual({ answer: answerOf("mailed"), isReplayed: false })
    expect(await world.run(asked(mailed))).toEqual({ answer: answerOf("mailed"), isReplayed: true })
  })

  it("leaves the first answer stored if the effect fails, and the committed changes too", async () => {
    const world = await makeSignInWorld()
    const failing = withFollowUp(Effect.die("the mail server is gone"))
    expect(Exit.isFailure(await world.run(Effect.exit(asked(failing))))).toBe(true)
    const again = await world.run(asked(failing))
    expect(again).toMatchObject({ answer: { body: expect.stringMatching(/^number \d+$/) }, isReplayed: true })
  })

  it("runs after other transactions are possible again, and keeps the key in flight until its end", async () => {
    const world = await makeSignInWorld()
    const [begun, ended] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const slow = Effect.gen(function* () {
      yield* Deferred.succeed(begun, undefined)
      yield* Deferred.await(ended)
      return answerOf("mailed")
    })
    await world.run(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(asked(withFollowUp(slow)))
        yield* Deferred.await(begun)
        expect(yield* Effect.flip(asked(counted))).toMatchObject({ _tag: "KeyInFlight" })
        expect(yield* asked(counted, { key: "k2" })).toMatchObject({ isReplayed: false })
        yield* Deferred.succeed(ended, undefined)
        expect(yield* Fiber.join(first)).toEqual({ answer: answerOf("mailed"), isReplayed: false })
        expect(yield* asked(counted)).toEqual({ answer: answerOf("mailed"), isReplayed: true })
      })
    )
  })

  it("runs to its end even if the caller disconnects", async () => {
    const world = await makeSignInWorld()
    const [begun, ended] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const slow = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(ended))
    const mailed = withFollowUp(Effect.as(slow, answerOf("mailed")))
    await world.run(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(asked(mailed))
        yield* Deferred.await(begun)
        const interrupted = yield* Effect.forkChild(Fiber.interrupt(first))
        yield* Effect.yieldNow
        yield* Deferred.succeed(ended, undefined)
        yield* Fiber.join(interrupted)
        expect(yield* asked(mailed)).toEqual({ answer: answerOf("mailed"), isReplayed: true })
      })
    )
  })
})

it("an interrupted request releases its key", async () => {
  const world = await makeSignInWorld()
  await world.run(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(asked(Effect.never))
      yield* Effect.yieldNow
      expect(yield* Effect.flip(asked(counted))).toMatchObject({ _tag: "KeyInFlight" })
      yield* Fiber.interrupt(fiber)
      expect(yield* asked(counted)).toMatchObject({ isReplayed: false })
    })
  )
})

it("a caller's newest 10,000 answers are kept; one more removes the oldest", async () => {
  const world = await makeSignInWorld()
  const kept = () => world.memory.state().storedResponses
  expect(maxKeptPerCaller).toBe(10_000)
  await world.run(asked(counted, { key: "first" }))
  const [first] = kept().keysArray()
  const { caller } = kept().get(first!)!
  const rest = Array.from({ length: maxKeptPerCaller - 2 }, (_, index) => `row ${index}`)
  const { idempotencyKeys } = world.memory.store
  await world.run(
    Effect.forEach(rest, (id) => idempotencyKeys.save({ id, caller, sealed: "", expiresAt: instantAfter(9e9) }))
  )
  await world.run(asked(counted, { key: "last" }))
  expect([kept().size, kept().has(first!)]).toEqual([10_000, true])
  await world.run(asked(counted, { key: "one more" }))
  expect([kept().size, kept().has(first!), kept().has("row 0")]).toEqual([10_000, false, true])
})

it("stored answers are part of a world's snapshot", async () => {
  const world = await makeSignInWorld()
  await world.run(asked(counted))
  const document = documentOfWorldState(world.memory.state())
  expect(document.storedResponses).toHaveLength(1)
  const first = await world.run(asked(counted))
  world.memory.replace(worldStateOfDocument(JSON.parse(JSON.stringify(document))))
  expect(await world.run(asked(counted))).toEqual(first)
})
