import { Deferred, Effect } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { whileStill } from "../src/clock/move.ts"
import { makeEmulatorServer } from "../src/serve/EmulatorServer.ts"

/** A world whose clock is moved from `begin` until `end`. */
const moved = async (by: "call" | "clock") => {
  const server = await makeEmulatorServer({ allowHosts: [] })
  onTestFinished(() => server.close())
  const { world } = await server.run(server.emulator.create({ id: "default" }))
  const ask = async (method: string, path: string, body?: unknown) => {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
    const response = await server.fetch(new Request(`http://localhost/_emulator${path}`, { method, ...init }))
    return { status: response.status, body: await response.json() }
  }
  const snapshot = (await ask("GET", "/snapshot")).body
  const began = Promise.withResolvers<void>()
  const end = Deferred.makeUnsafe<void>()
  const moving = server.run(whileStill(world, Effect.andThen(Effect.sync(began.resolve), Deferred.await(end)), by))
  await began.promise
  return {
    ask,
    snapshot,
    world,
    waiting: () => expect.poll(() => world.clock["awaited"], { interval: 1 }).not.toBeNull(),
    end: () => {
      Effect.runSync(Deferred.succeed(end, undefined))
      return moving
    }
  }
}

const calls: ReadonlyArray<[method: string, path: string, body?: object]> = [
  ["PUT", "/clock", { mode: "stopped" }],
  ["PUT", "/clock", { mode: "running", rate: 60 }],
  ["POST", "/clock/advance", { by: "PT1M" }],
  ["POST", "/reset"],
  ["POST", "/fork", {}],
  ["GET", "/snapshot"],
  ["PUT", "/snapshot"]
]

describe.each(calls)("%s %s %j", (method, path, body) => {
  const made = async (by: "call" | "clock") => {
    const { ask, snapshot, ...rest } = await moved(by)
    return { ...rest, answer: ask(method, path, method === "PUT" && path === "/snapshot" ? snapshot : body) }
  }

  test("waits for the events of a running clock", async () => {
    const { answer, end, waiting } = await made("clock")
    await waiting()
    await end()
    expect((await answer).status).toBeLessThan(300)
  })

  test("is refused as soon as an event of a running clock calls a real receiver", async () => {
    const { answer, end, waiting, world } = await made("clock")
    await waiting()
    world.beginRequest()
    expect(await answer).toMatchObject({ status: 409, body: { error: "A move of this world's clock is in progress" } })
    await end()
  })

  test("is refused while a call moves the clock", async () => {
    const { answer, end } = await made("call")
    expect((await answer).status).toBe(409)
    await end()
  })
})
