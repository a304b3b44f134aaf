import { auditSchedule } from "@tapedeck/domain/delivery"
import { describe, expect, it } from "vitest"
import { leaseMs } from "../src/index.ts"
import { endingAfter, makeWorld } from "./dispatcherWorld.ts"
import { aDelivery, anAuditDelivery, answered, instantAfter, minutes, startInstant, timedOut } from "./examples.ts"

const folderStarts = minutes(0, 1, 6, 36, 156, 876)
const auditStarts = minutes(0, 1, 6, 21, 51, 111, 231, 351, 471, 591, 711)

describe("a folder delivery (Events, retry schedule)", () => {
  it("that always fails is attempted six times, at the specified instants, and then failed", async () => {
    const world = await makeWorld()
    await world.run(world.store.deliveries.insert(aDelivery()))
    expect(await world.untilIdle()).toEqual(folderStarts)
    const delivery = await world.delivery()
    expect(delivery.state).toEqual({ _tag: "PermanentlyFailed", at: instantAfter(folderStarts[5]!) })
    expect(delivery.attempts.map(({ attempt, elapsedMs, outcome }) => [attempt, elapsedMs, outcome])).toEqual(
      folderStarts.map((elapsedMs, index) => [index + 1, elapsedMs, "failure"])
    )
  })

  it.each([0, 1, 2, 3, 4, 5])("that succeeds at retry %i is delivered then, and not attempted again", async (retry) => {
    const world = await makeWorld()
    world.script.replies = [...Array.from({ length: retry }, () => answered(503)), answered(204)]
    await world.run(world.store.deliveries.insert(aDelivery()))
    expect(await world.untilIdle()).toEqual(folderStarts.slice(0, retry + 1))
    expect((await world.delivery()).state).toEqual({ _tag: "Delivered", at: instantAfter(folderStarts[retry]!) })
  })

  it("counts its retries from the start of the previous attempt, however long that took (W3)", async () => {
    const world = await makeWorld()
    world.script.replies = [endingAfter(30_000, timedOut)]
    await world.run(world.store.deliveries.insert(aDelivery()))
    expect(await world.untilIdle()).toEqual(folderStarts)
    expect((await world.delivery()).attempts.map(({ at, endedAt }) => endedAt - at)).toEqual(Array(6).fill(30_000))
  })

  it("waits for the end of an attempt that is longer than the delay (W3)", async () => {
    const world = await makeWorld()
    world.script.replies = [endingAfter(90_000, timedOut), answered(500)]
    await world.run(world.store.deliveries.insert(aDelivery()))
    expect((await world.untilIdle()).slice(0, 3)).toEqual([0, 90_000, 390_000])
  })

  it("has the same retries whatever failed, Retry-After and 410 included (W3)", async () => {
    const world = await makeWorld()
    const none = { statusCode: null, response: null, error: "no" }
    world.script.replies = [
      { ...answered(429), response: { headers: [["retry-after", "7200"]], body: "", truncated: false } },
      answered(410),
      { outcome: "dns", ...none },
      { outcome: "reset", ...none },
      { outcome: "tls", ...none },
      answered(301)
    ]
    await world.run(world.store.deliveries.insert(aDelivery()))
    expect(await world.untilIdle()).toEqual(folderStarts)
    expect((await world.delivery()).attempts.map(({ outcome }) => outcome)).toEqual([
      "failure",
      "failure",
      "dns",
      "reset",
      "tls",
      "failure"
    ])
  })

  it("that is late is attempted at once, and its schedule continues from there", async () => {
    const world = await makeWorld()
    await world.run(world.store.deliveries.insert(aDelivery()))
    await world.setTime(instantAfter(5_000))
    expect((await world.untilIdle()).slice(0, 3)).toEqual([5_000, 65_000, 365_000])
    expect((await world.delivery()).attempts.map(({ elapsedMs }) => elapsedMs)).toEqual(folderStarts)
  })
})

describe("an audit delivery (A2)", () => {
  it.each([0, 1, 2, 6, 10])("makes %i retries at the specified instants, and no more", async (maxRetries) => {
    const world = await makeWorld()
    await world.run(world.store.deliveries.insert(anAuditDelivery({ schedule: auditSchedule(maxRetries) })))
    expect(await world.untilIdle()).toEqual(auditStarts.slice(0, maxRetries + 1))
    expect((await world.delivery()).state._tag).toBe("PermanentlyFailed")
  })

  it("has its destination's timeout, a folder delivery 30 s", async () => {
    const world = await makeWorld()
    const destination = (await world.run(world.store.destinations.byId(anAuditDelivery().destinationId!)))!
    await world.run(world.store.destinations.save({ ...destination, timeoutMs: 300_000 }))
    await world.run(world.store.deliveries.insert(anAuditDelivery({ schedule: [] })))
    await world.performDue()
    await world.run(world.store.deliveries.insert(aDelivery({ id: "folder's" as never })))
    await world.performDue()
    expect(world.sent.map(({ timeoutMs }) => timeoutMs)).toEqual([300_000, 30_000])
  })
})

describe("a send-test (W9)", () => {
  it.each([answered(500), timedOut])("is never retried", async (answer) => {
    const world = await makeWorld()
    world.script.replies = [answer]
    await world.run(world.store.deliveries.insert(aDelivery({ test: true, schedule: [] })))
    await world.run(
      world.store.deliveries.insert(anAuditDelivery({ id: "audit's" as never, test: true, schedule: [] }))
    )
    await world.untilIdle()
    const deliveries = await world.deliveries()
    expect(deliveries.map(({ attempts, state }) => [state._tag, attempts.length])).toEqual([
      ["PermanentlyFailed", 1],
      ["PermanentlyFailed", 1]
    ])
  })
})

describe("the log of an attempt", () => {
  it("contains the request, the response, the time and the duration", async () => {
    const world = await makeWorld()
    world.script.replies = [endingAfter(1_500, answered(404))]
    await world.run(world.store.deliveries.insert(aDelivery()))
    expect(await world.performDue()).toMatchObject([{ attempt: 1, elapsedMs: 0, outcome: null, statusCode: null }])
    await world.setTime(instantAfter(1_500))
    expect(await world.performDue()).toMatchObject([{ attempt: 1, elapsedMs: 0, outcome: "failure", statusCode: 404 }])
    const { request } = world.sent[0]!
    expect((await world.delivery()).attempts).toEqual([
      {
        attempt: 1,
        at: startInstant,
        elapsedMs: 0,
        endedAt: instantAfter(1_500),
        outcome: "failure",
        statusCode: 404,
        request: {
          method: "POST",
          url: "https://receiver.test/hook",
          headers: request.headers
        },
        response: answered(404).response,
        error: null
      }
    ])
  })
})

describe("an attempt whose worker was lost", () => {
  it("is logged as lost, counts as failed, and the schedule continues without a delay (W15)", async () => {
    const world = await makeWorld()
    await world.run(world.store.deliveries.insert(aDelivery()))
    await world.run(world.store.deliveries.claim({ limit: 1, leaseMs }))
    // When it is found to be, its retry is due: what a worker was lost with is late for nothing but that attempt.
    expect(await world.untilIdle()).toEqual(folderStarts.slice(1))
    const { attempts } = await world.delivery()
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
    expect(attempts[0]).toEqual({
      attempt: 1,
      at: startInstant,
      elapsedMs: 0,
      endedAt: instantAfter(leaseMs),
      outcome: "lost",
      statusCode: null,
      request: null,
      response: null,
      error: "the worker died or lost its lease before it recorded the outcome"
    })
  })

  it("changes nothing if it ends late: the next worker records the outcome", async () => {
    const world = await makeWorld()
    const { store } = world
    await world.run(store.deliveries.insert(aDelivery()))
    const [mine] = await world.run(store.deliveries.claim({ limit: 1, leaseMs: 10 }))
    await world.setTime(instantAfter(10))
    expect(await world.performDue()).toMatchObject([{ attempt: 1, outcome: "lost" }])
    const settled = await world.delivery()
    world.script.replies = [answered(204)]
    expect(await world.run(world.dispatcher.perform(mine!))).toBeNull()
    expect(await world.delivery()).toEqual(settled)
  })
})
