import type { AuditEventType } from "@tapedeck/domain/audit"
import { auditSchedule } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AuditLog, RequestOrigin } from "../src/index.ts"
import { acme, aDestination, ada, instantAfter, other, uuidOf } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

type Filters = Partial<ReturnType<typeof aDestination>["filters"]>

const event = (eventType: AuditEventType, known: Partial<Parameters<AuditLog["Service"]["record"]>[0]> = {}) =>
  Effect.flatMap(AuditLog, (log) =>
    log.record({
      accountId: acme.id,
      eventType,
      status: "success",
      user: ada,
      target: { type: "recording", id: uuidOf(1) },
      ...known
    })
  )

const worldOf = async (destinations: ReadonlyArray<ReturnType<typeof aDestination>>) => {
  const world = await makeWorld()
  await world.run(Effect.forEach(destinations, world.store.destinations.save))
  return world
}

const listening = (id: string, filters: Filters) =>
  aDestination(id, { filters: { categories: [], eventTypes: [], severities: [], ...filters } })

describe("an audit entry", () => {
  it("records the operation, its target, the user, the address and the time (A7)", async () => {
    const world = await worldOf([])
    await world.setTime(instantAfter(9))
    const from = { ipAddress: "203.0.113.9", userAgent: "curl/8" }
    await world.run(Effect.provideService(event("recording.updated", { status: "failure" }), RequestOrigin, from))
    await world.run(event("folder.created", { user: null, changes: { name: { from: null, to: "VIP" } } }))
    expect(world.entries()).toEqual([
      {
        id: 1,
        accountId: 1,
        eventType: "recording.updated",
        status: "failure",
        at: instantAfter(9),
        userId: ada.id,
        ...from,
        metadata: { targetType: "recording", targetId: uuidOf(1), changes: {} }
      },
      {
        id: 2,
        accountId: 1,
        eventType: "folder.created",
        status: "success",
        at: instantAfter(9),
        userId: null,
        ipAddress: null,
        userAgent: null,
        metadata: { targetType: "recording", targetId: uuidOf(1), changes: { name: { from: null, to: "VIP" } } }
      }
    ])
  })

  it("is neither stored nor delivered when its operation fails (A5)", async () => {
    const world = await worldOf([aDestination("siem")])
    const failing = world.store.transaction(Effect.andThen(event("recording.updated"), Effect.fail("no")))
    await world.refusal(failing)
    expect(world.entries()).toEqual([])
    expect(await world.deliveries()).toEqual([])
  })
})

describe("delivery of an audit entry to destinations", () => {
  const cases: ReadonlyArray<[string, Filters, AuditEventType, boolean]> = [
    ["every event, without filters", {}, "recording.updated", true],
    ["an event of a listed category", { categories: ["data_changes", "security"] }, "recording.updated", true],
    ["no event of another category", { categories: ["security"] }, "recording.updated", false],
    ["an event of a listed type", { eventTypes: ["user.login", "recording.updated"] }, "recording.updated", true],
    ["no event of another type", { eventTypes: ["user.login"] }, "recording.updated", false],
    ["an event of a listed severity", { severities: ["low"] }, "recording.updated", true],
    ["no event of another severity", { severities: ["medium", "high"] }, "recording.updated", false],
    [
      "an event that all lists contain",
      { categories: ["data_changes"], severities: ["medium"] },
      "recording.deleted",
      true
    ],
    [
      "no event that one list lacks",
      { categories: ["data_changes"], severities: ["medium"] },
      "recording.updated",
      false
    ]
  ]

  it.each(cases)("passes %s (A6)", async (_, filters, eventType, isTold) => {
    const world = await worldOf([listening("siem", filters)])
    await world.run(event(eventType))
    expect((await world.deliveries()).map(({ destinationId }) => destinationId)).toEqual(isTold ? ["siem"] : [])
    // The entry is made whether or not a destination subscribes to it.
    expect(world.entries()).toHaveLength(1)
  })

  it("creates one delivery for each enabled destination of the account, in the order of their creation", async () => {
    const world = await worldOf([
      aDestination("z"),
      aDestination("off", { enabled: false }),
      aDestination("theirs", { accountId: other.id }),
      aDestination("a", { maxRetries: 0 })
    ])
    await world.setTime(instantAfter(5))
    await world.run(event("recording.updated"))
    const scheduled = { _tag: "Scheduled", dueAt: instantAfter(5) }
    expect(await world.deliveries()).toMatchObject([
      {
        destinationId: "z",
        auditEntryId: 1,
        event: "recording.updated",
        schedule: auditSchedule(6),
        state: scheduled
      },
      {
        destinationId: "a",
        auditEntryId: 1,
        event: "recording.updated",
        schedule: [],
        state: scheduled
      }
    ])
  })

  it("sends the specified payload with the event's category and severity (A7)", async () => {
    const world = await worldOf([aDestination("siem")])
    const changes = { title: { from: "Old", to: null } }
    const from = { ipAddress: "203.0.113.9", userAgent: "curl/8" }
    await world.run(Effect.provideService(event("recording.deleted", { changes }), RequestOrigin, from))
    await world.run(event("access.denied", { user: null, status: "failure" }))
    const bodies = (await world.deliveries()).map(({ body }) => JSON.parse(body))
    expect(bodies[0]).toEqual({
      event: "recording.deleted",
      event_category: "data_changes",
      severity: "medium",
      timestamp: "2026-01-01T00:00:00.000Z",
      audit_log: {
        id: 1,
        event_type: "recording.deleted",
        status: "success",
        ip_address: "203.0.113.9",
        user_agent: "curl/8",
        metadata: { target_type: "recording", target_id: uuidOf(1), changes }
      },
      user: { id: 11, name: "Ada", email: "ada@acme.test" },
      account: { id: 1, name: "Acme" }
    })
    expect(bodies[1]).toMatchObject({
      event_category: "authorization",
      severity: "medium",
      audit_log: { id: 2, status: "failure", ip_address: "", user_agent: "" },
      user: null
    })
  })
})
