import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { accountOf, settled, useBacklogs } from "./backlogWorld.ts"
import { answered } from "./examples.ts"

const backlogs = useBacklogs()
const { answers, backlog, beginStop, pass, receiver, sentTo, start, stateOf } = backlogs

/** Has each claim take so long. */
const slowClaims = (ms: number) => {
  const { deliveries } = backlogs.world.store
  const { claim } = deliveries
  Object.assign(deliveries, {
    claim: (options: Parameters<typeof claim>[0]) => Effect.andThen(Effect.sleep(ms), claim(options))
  })
}

const inFlight = async () => (await backlogs.world.deliveries()).filter(({ state }) => state._tag === "Attempting")
const waiting = async () => (await backlogs.world.deliveries()).filter(({ state }) => state._tag === "Scheduled")

/** Answers 200 after so many ms. */
const afterMs = (ms: number) => () => Effect.as(Effect.sleep(ms), answered(200))

const quickly = async (count: number, concurrency = 8) => {
  answers({ "quick.test": afterMs(5) })
  await receiver("a", "quick.test")
  await backlog(count, "a")
  await start({ concurrency, perHost: concurrency, perNewHost: concurrency })
}

describe("the prefetch for a fast host", () => {
  it("claims more than there are slots, so that no slot waits for a claim", async () => {
    slowClaims(5)
    await quickly(800)
    await pass(5)
    // Nothing is known of its pace yet.
    expect(await inFlight()).toHaveLength(6)
    for (let turn = 0; turn < 20; turn++) await pass(5)
    expect((await inFlight()).length).toBeGreaterThan(6)
    const sent = sentTo("quick.test")
    for (let turn = 0; turn < 20; turn++) await pass(5)
    // All slots of the account, each time.
    expect(sentTo("quick.test") - sent).toBe(120)
  })

  it("does not exceed the maximum of active attempts of the host", async () => {
    let inFlight = 0
    let most = 0
    answers({
      "quick.test": () =>
        Effect.sync(() => {
          most = Math.max(most, ++inFlight)
        }).pipe(
          Effect.andThen(Effect.sleep(5)),
          Effect.andThen(Effect.sync(() => inFlight--)),
          Effect.as(answered(200))
        )
    })
    await receiver("a", "quick.test")
    await receiver("b", "quick.test")
    await backlog(200, "a")
    await backlog(200, "b")
    await start({ concurrency: 16, perHost: 5, perNewHost: 5 })
    for (let turn = 0; turn < 200; turn++) await pass(5)
    expect(sentTo("quick.test")).toBe(400)
    expect(most).toBe(5)
  })

  it("does not delay another account, which gets a slot at once", async () => {
    await quickly(2_000)
    for (let turn = 0; turn < 10; turn++) await pass(5)
    await receiver("small", "other.test", 2)
    await backlog(1, "small", accountOf(2))
    await settled()
    expect(sentTo("other.test")).toBe(1)
  })

  it("does not delay another host of the account, though the host stops answering", async () => {
    let hangs = false
    answers({ "quick.test": () => (hangs ? Effect.never : Effect.as(Effect.sleep(5), answered(200))) })
    await receiver("a", "quick.test")
    await backlog(300, "a")
    await start({ concurrency: 32, perHost: 8, perNewHost: 8 })
    for (let turn = 0; turn < 10; turn++) await pass(5)
    hangs = true
    for (let turn = 0; turn < 3; turn++) await pass(5)
    expect((await inFlight()).length).toBeGreaterThan(8)
    await receiver("b", "other.test")
    await backlog(50, "b")
    await pass(100)
    expect(sentTo("other.test")).toBe(50)
  })
})

describe("a prefetched delivery", () => {
  it("is given back if its host stops answering: it is due, and no attempt is counted", async () => {
    let hangs = false
    answers({ "quick.test": () => (hangs ? Effect.never : Effect.as(Effect.sleep(5), answered(200))) })
    await receiver("a", "quick.test")
    await backlog(400, "a")
    await start()
    for (let turn = 0; turn < 10; turn++) await pass(5)
    hangs = true
    for (let turn = 0; turn < 3; turn++) await pass(5)
    expect((await inFlight()).length).toBeGreaterThan(4)
    const sent = sentTo("quick.test")
    for (let turn = 0; turn < 12; turn++) await pass(100)
    expect(sentTo("quick.test")).toBe(sent)
    expect(await inFlight()).toHaveLength(4)
    expect((await waiting()).every(({ attempts }) => attempts.length === 0)).toBe(true)
    expect((await waiting()).length + sent).toBe(400)
  })

  it("is given back at once by a worker that stops", async () => {
    const gate = Deferred.makeUnsafe<void>()
    await quickly(400)
    for (let turn = 0; turn < 10; turn++) await pass(5)
    answers({ "quick.test": () => Effect.as(Deferred.await(gate), answered(200)) })
    await pass(5)
    expect((await inFlight()).length).toBeGreaterThan(6)
    const sent = sentTo("quick.test")
    const stopped = beginStop()
    await settled()
    expect(await inFlight()).toHaveLength(6)
    await Effect.runPromise(Deferred.succeed(gate, undefined))
    await stopped
    expect(sentTo("quick.test")).toBe(sent)
    expect(await inFlight()).toEqual([])
    expect((await waiting()).length + sent).toBe(400)
    expect((await stateOf("a-399"))?._tag).toBe("Scheduled")
  })
})
