import type { Delivery, DeliveryId } from "@tapedeck/domain"
import { folderSchedule, isFinalState } from "@tapedeck/domain/delivery"
import { type JsonObject, RedeliveryInput } from "@tapedeck/domain/input"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import type { RedeliveryJob } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { DeliveryLog, type JobClaim, Redeliveries } from "../src/index.ts"
import { acme, ada, callerOf, instantAfter, otto, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld, type SettingsWorld } from "./settingsWorld.ts"

const admin = callerOf(ada)
const jobs = Effect.flatMap(Redeliveries, Effect.succeed)

const failedDelivery = (n: number, changes: Partial<Delivery> = {}): Delivery => ({
  id: `d${String(n).padStart(3, "0")}` as DeliveryId,
  accountId: acme.id,
  automationId: "crm" as Delivery["automationId"],
  destinationId: null,
  recordingUuid: uuidOf(1),
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body: `{"n":${n}}`,
  createdAt: instantAfter(0),
  schedule: folderSchedule,
  state: { _tag: "PermanentlyFailed", at: instantAfter(0) },
  attempts: [],
  ...changes
})

const withFailed = async (count: number, changes: (n: number) => Partial<Delivery> = () => ({})) => {
  const world = await makeSettingsWorld()
  for (let n = 1; n <= count; n++) await world.run(world.store.deliveries.insert(failedDelivery(n, changes(n))))
  return world
}

const start = (input: JsonObject) =>
  Effect.map(
    Effect.flatMap(jobs, (service) => service.start(admin, inputOf(RedeliveryInput, input))),
    (started) => started as Redelivery
  )

/** Runs the step that is due. Returns whether there was one. */
const stepOnce = (world: SettingsWorld) =>
  world.run(
    Effect.gen(function* () {
      const [claim] = yield* world.store.jobs.claim({ slots: { step: 1 }, leaseMs: 60_000 })
      if (claim !== undefined) yield* (yield* Redeliveries).runStep(claim as JobClaim<RedeliveryJob>)
      return claim !== undefined
    })
  )

/** What was delivered again, in the order of creation. */
const redelivered = async (world: SettingsWorld) =>
  (await world.deliveries()).flatMap(({ redeliveryOf }) => redeliveryOf ?? [])

const read = (world: SettingsWorld, id: string) => world.run(Effect.flatMap(jobs, ({ get }) => get(admin, id)))

describe("a redelivery by filter", () => {
  it("redelivers the matching deliveries, newest first, at its rate, and finishes", async () => {
    const world = await withFailed(5)
    const job = await world.run(start({ state: "permanently_failed", rate: 2 }))
    expect(job).toMatchObject({ count: 5, isExact: true, state: { _tag: "Running", dueAt: instantAfter(0) } })
    expect(await stepOnce(world)).toBe(true)
    expect(await redelivered(world)).toEqual(["d005", "d004"])
    // The rate: nothing before the second is over.
    expect(await stepOnce(world)).toBe(false)
    await world.setTime(instantAfter(1_000))
    await stepOnce(world)
    await world.setTime(instantAfter(2_000))
    await stepOnce(world)
    expect(await redelivered(world)).toEqual(["d005", "d004", "d003", "d002", "d001"])
    const ended = { redelivered: 5, skipped: 0, state: { _tag: "Finished", at: instantAfter(2_000) } }
    expect(await read(world, job.id)).toMatchObject(ended)
    expect(await stepOnce(world)).toBe(false)
    const entries = world.entries().filter(({ eventType }) => eventType === "automation.redelivered")
    expect(entries.map(({ userId }) => userId)).toEqual(Array(5).fill(ada.id))
  })

  it("redelivers at most its limit", async () => {
    const world = await withFailed(5)
    const job = await world.run(start({ limit: 3, rate: 100 }))
    await stepOnce(world)
    expect(await redelivered(world)).toEqual(["d005", "d004", "d003"])
    expect((await read(world, job.id)).state._tag).toBe("Finished")
  })

  it("does not redeliver its own deliveries, nor deliveries made after its start", async () => {
    const world = await withFailed(2)
    const job = await world.run(start({ rate: 1 }))
    await stepOnce(world)
    await world.setTime(instantAfter(1_000))
    await world.run(world.store.deliveries.insert(failedDelivery(3, { createdAt: instantAfter(500) })))
    await stepOnce(world)
    await world.setTime(instantAfter(2_000))
    await stepOnce(world)
    expect(await redelivered(world)).toEqual(["d002", "d001"])
    expect((await read(world, job.id)).state._tag).toBe("Finished")
  })

  it("skips send-tests, payloads that were too large, and receivers that are disabled or deleted", async () => {
    const world = await withFailed(4, (n) => {
      if (n === 2) return { test: true }
      if (n === 3) return { error: "payload_too_large" }
      return n === 4 ? { automationId: "gone" as Delivery["automationId"] } : {}
    })
    const job = await world.run(start({ rate: 100 }))
    await stepOnce(world)
    expect(await read(world, job.id)).toMatchObject({ redelivered: 1, skipped: 3, state: { _tag: "Finished" } })
    expect(await redelivered(world)).toEqual(["d001"])
  })

  it("only counts in a dry run", async () => {
    const world = await withFailed(3)
    const estimate = await world.run(start({ dry_run: true, state: "permanently_failed" }))
    expect(estimate).toEqual({
      count: 3,
      isExact: true,
      examined: 3,
      skipped: { sendTests: 0, receivers: 0, payloads: 0, unsent: 0 }
    })
    expect(await world.run(Effect.flatMap(jobs, ({ list }) => list(admin)))).toEqual([])
  })

  it("stops on request, and when its user is no longer an admin", async () => {
    const world = await withFailed(3)
    const first = await world.run(start({ rate: 1 }))
    const second = await world.run(start({ rate: 1 }))
    const stop = Effect.flatMap(jobs, ({ stop }) => stop(admin, first.id))
    const stopped = { _tag: "Stopped", at: instantAfter(0), reason: "requested" }
    expect((await world.run(stop)).state).toEqual(stopped)
    expect((await world.run(stop)).state).toEqual(stopped)
    await world.run(world.store.users.save({ ...ada, role: "member" }))
    await stepOnce(world)
    expect((await read(world, second.id)).state).toMatchObject({ _tag: "Stopped", reason: "not_permitted" })
    expect(await redelivered(world)).toEqual([])
    expect(await stepOnce(world)).toBe(false)
  })

  it("runs at most three times at a time in an account; 100 ended ones are kept", async () => {
    const world = await withFailed(1)
    for (let n = 0; n < 3; n++) await world.run(start({}))
    expect(await world.refusal(start({}))).toMatchObject({ _tag: "StateConflict" })
    for (let n = 0; n < 3; n++) await stepOnce(world)
    for (let n = 0; n < 100; n++) {
      await world.run(start({ event: "none" }))
      await stepOnce(world)
    }
    const listed = await world.run(Effect.flatMap(jobs, ({ list }) => list(admin)))
    expect(listed).toHaveLength(100)
    expect(listed[0]?.filter).toEqual({ event: "none" })
  })

  it.each([
    [{ limit: 10_001 }, "limit must be an integer from 1 to 10000"],
    [{ limit: 0 }, "limit must be an integer from 1 to 10000"],
    [{ rate: 101 }, "rate must be an integer from 1 to 100"],
    [{ rate: 0 }, "rate must be an integer from 1 to 100"],
    [{ status_code: 600 }, "status_code must be an HTTP status from 100 to 599"],
    [{ state: "none" }, "state must be one of"],
    [{ since: "today" }, "since must be an ISO 8601 date and time"]
  ])("refuses %j", async (input, message) => {
    const world = await withFailed(0)
    expect((await world.refusal(start(input))).message).toContain(message)
  })

  it("accepts its largest limit and rate", async () => {
    const world = await withFailed(0)
    expect(await world.run(start({ limit: 10_000, rate: 100 }))).toMatchObject({ limit: 10_000, rate: 100 })
  })

  it("is not visible to another account", async () => {
    const world = await withFailed(0)
    const job = await world.run(start({}))
    const get = Effect.flatMap(jobs, (service) => service.get(callerOf(otto), job.id))
    expect(await world.refusal(get)).toMatchObject({ _tag: "NotFound" })
  })
})

describe("cancelling a delivery", () => {
  const cancel = (id: string) => Effect.flatMap(DeliveryLog, (log) => log.cancel(admin, id))

  it("prevents further attempts; a repeat changes nothing", async () => {
    const world = await withFailed(1, () => ({ state: { _tag: "Scheduled", dueAt: instantAfter(60_000) } }))
    const cancelled = await world.run(cancel("d001"))
    expect(cancelled.state).toEqual({ _tag: "Cancelled", at: instantAfter(0) })
    const entries = world.entries().length
    await world.setTime(instantAfter(10))
    expect((await world.run(cancel("d001"))).state).toEqual(cancelled.state)
    expect(world.entries()).toHaveLength(entries)
    const agenda = await world.run(world.store.agenda.list)
    expect(agenda.filter((due) => "deliveryId" in due && due.deliveryId === "d001")).toEqual([])
  })

  it("is refused once the delivery has ended", async () => {
    const world = await withFailed(1)
    expect((await world.deliveries()).every(({ state }) => isFinalState(state))).toBe(true)
    expect(await world.refusal(cancel("d001"))).toMatchObject({ _tag: "StateConflict" })
  })

  it("works if the receiver is deleted, and not for another account", async () => {
    const world = await withFailed(1, () => ({
      automationId: "gone" as Delivery["automationId"],
      state: { _tag: "Scheduled", dueAt: instantAfter(0) }
    }))
    const theirs = Effect.flatMap(DeliveryLog, (log) => log.cancel(callerOf(otto), "d001"))
    expect(await world.refusal(theirs)).toMatchObject({ _tag: "NotFound" })
    expect((await world.run(cancel("d001"))).state._tag).toBe("Cancelled")
  })
})
