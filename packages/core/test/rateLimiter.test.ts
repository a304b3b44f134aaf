import { TokenId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { RateLimited, RateLimiter } from "../src/index.ts"
import { ada, bob, callerOf, instantAfter } from "./examples.ts"
import { makeWorld, type UseCaseWorld } from "./useCaseWorld.ts"

const admit = (world: UseCaseWorld, user = ada, caller = callerOf(user)) =>
  world.run(
    Effect.match(
      Effect.flatMap(RateLimiter, (limiter) => limiter.admit(caller)),
      { onFailure: ({ retryAfterMs }) => retryAfterMs, onSuccess: () => "admitted" as const }
    )
  )

describe("the rate limit (R18)", () => {
  it("is off unless it is configured", async () => {
    const world = await makeWorld()
    for (let count = 0; count < 500; count++) expect(await admit(world)).toBe("admitted")
    expect(world.memory.state().rateWindows.size).toBe(0)
  })

  it("admits the configured number of requests in a window, and returns the remaining time for others", async () => {
    const world = await makeWorld({ rateLimit: { requests: 2, perMs: 1_000 } })
    await world.setTime(instantAfter(300))
    expect([await admit(world), await admit(world), await admit(world)]).toEqual(["admitted", "admitted", 1_000])
    await world.setTime(instantAfter(800))
    expect(await admit(world)).toBe(500)
    await world.setTime(instantAfter(1_299))
    expect(await admit(world)).toBe(1)
    await world.setTime(instantAfter(1_300))
    expect([await admit(world), await admit(world), await admit(world)]).toEqual(["admitted", "admitted", 1_000])
  })

  it("opens a window at its first request, not on the hour", async () => {
    const world = await makeWorld({ rateLimit: { requests: 1, perMs: 1_000 } })
    expect(await admit(world)).toBe("admitted")
    await world.setTime(instantAfter(1_900))
    expect(await admit(world)).toBe("admitted")
    await world.setTime(instantAfter(2_000))
    expect(await admit(world)).toBe(900)
  })

  it("treats a window that starts in the future as expired, as after the clock was set back", async () => {
    const world = await makeWorld({ rateLimit: { requests: 1, perMs: 1_000 } })
    await world.setTime(instantAfter(3_600_000))
    expect(await admit(world)).toBe("admitted")
    await world.setTime(instantAfter(0))
    expect([await admit(world), await admit(world)]).toEqual(["admitted", 1_000])
  })

  it("does not count refused requests", async () => {
    const world = await makeWorld({ rateLimit: { requests: 1, perMs: 1_000 } })
    await admit(world)
    for (let count = 0; count < 10; count++) await admit(world)
    await world.setTime(instantAfter(1_000))
    expect(await admit(world)).toBe("admitted")
  })

  it("applies to each token separately, also to tokens of one user", async () => {
    const world = await makeWorld({ rateLimit: { requests: 1, perMs: 1_000 } })
    expect([await admit(world, ada), await admit(world, ada), await admit(world, bob)]).toEqual([
      "admitted",
      1_000,
      "admitted"
    ])
    const second = callerOf(ada, { tokenId: TokenId.make("Ada's other token") })
    expect(await admit(world, ada, second)).toBe("admitted")
  })

  it("holds for concurrent requests", async () => {
    const world = await makeWorld({ rateLimit: { requests: 3, perMs: 1_000 } })
    const all = Array.from({ length: 10 }, () =>
      Effect.exit(Effect.flatMap(RateLimiter, (limiter) => limiter.admit(callerOf(ada))))
    )
    const exits = await world.run(Effect.all(all, { concurrency: "unbounded" }))
    expect(exits.filter(({ _tag }) => _tag === "Success")).toHaveLength(3)
  })

  it("returns the waiting time as data of its error", async () => {
    const world = await makeWorld({ rateLimit: { requests: 1, perMs: 60_000 } })
    await admit(world)
    const refused = await world.refusal(Effect.flatMap(RateLimiter, (limiter) => limiter.admit(callerOf(ada))))
    expect(refused).toEqual(new RateLimited({ retryAfterMs: 60_000 }))
  })
})
