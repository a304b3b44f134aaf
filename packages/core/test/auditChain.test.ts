import { AuditEntryId, DeliveryId, type Instant } from "@tapedeck/domain"
import { folderSchedule } from "@tapedeck/domain/delivery"
import { Clock, Effect, Fiber, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  AuditLog,
  auditAccounts,
  auditSealer,
  documentOfWorldState,
  macToVerify,
  makeRetention,
  type Retention,
  sealAuditEntries,
  storeOf,
  verifyAudit,
  WorldStateDocument,
  wholeStore,
  worldStateOfDocument
} from "../src/index.ts"
import { acme, ada, other, otto } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

const DAY_MS = 24 * 3_600_000

const record = (account = acme, user = ada) =>
  Effect.flatMap(AuditLog, (log) =>
    log.record({
      accountId: account.id,
      eventType: "recording.updated",
      status: "success",
      user,
      target: { type: "recording", id: "r" }
    })
  )

const verified = Effect.gen(function* () {
  const { auditSeals } = yield* storeOf("auditSeals")
  const mac = yield* macToVerify(auditSeals)
  return yield* Effect.forEach(yield* auditAccounts(auditSeals), (account) =>
    verifyAudit(auditSeals, mac, account, null)
  )
})

describe("the sealer (A5)", () => {
  it("links each account's entries within a second of their making", async () => {
    const world = await makeWorld()
    await world.run(
      Effect.gen(function* () {
        const sealer = yield* Effect.forkChild(auditSealer(), { startImmediately: true })
        yield* record()
        yield* record(other, otto)
        yield* record()
        expect(yield* verified).toMatchObject([{ links: 0, waiting: 2 }, { waiting: 1 }])
        yield* TestClock.adjust(1_000)
        expect(yield* verified).toMatchObject([
          { accountId: acme.id, links: 2, waiting: 0, found: 0, head: { seq: 2 } },
          { accountId: other.id, links: 1, waiting: 0, found: 0, head: { seq: 1 } }
        ])
        yield* record()
        yield* TestClock.adjust(1_000)
        expect(yield* verified).toMatchObject([{ links: 3, waiting: 0, found: 0 }, { links: 1 }])
        yield* Fiber.interrupt(sealer)
      })
    )
  })

  it("continues after a failed transaction as if it had not begun", async () => {
    const world = await makeWorld()
    await world.run(
      Effect.gen(function* () {
        const store = yield* wholeStore
        const { add } = store.auditSeals
        yield* record()
        yield* record()
        let added = 0
        const dying = (seal: Parameters<typeof add>[0]) => (++added === 2 ? Effect.die("full") : add(seal))
        Object.assign(store.auditSeals, { add: dying })
        const sealer = yield* Effect.forkChild(auditSealer(), { startImmediately: true })
        expect(added).toBe(2)
        expect(yield* verified).toMatchObject([{ links: 0, waiting: 2 }])
        yield* TestClock.adjust(1_000)
        expect(yield* verified).toMatchObject([{ links: 2, waiting: 0, found: 0 }])
        yield* Fiber.interrupt(sealer)
      })
    )
  })

  it("writes nothing when no entry is unlinked", async () => {
    const world = await makeWorld()
    const before = world.memory.state()
    expect(await world.run(sealAuditEntries)).toEqual(new Set())
    expect(world.memory.state()).toBe(before)
  })
})

describe("a snapshot", () => {
  it("contains the chains; a snapshot without chains can be loaded too", async () => {
    const world = await makeWorld()
    await world.run(record())
    expect(documentOfWorldState(world.memory.state())).not.toHaveProperty("auditChain")
    await world.run(sealAuditEntries)
    const text = JSON.stringify(
      Schema.encodeUnknownSync(WorldStateDocument)(documentOfWorldState(world.memory.state()))
    )
    world.memory.replace(worldStateOfDocument(Schema.decodeUnknownSync(WorldStateDocument)(JSON.parse(text))))
    await world.run(record())
    await world.run(sealAuditEntries)
    expect(await world.run(verified)).toMatchObject([{ links: 2, found: 0 }])
  })
})

/** A turn now, and one each ten minutes. */
const retained = (options: Retention) => Effect.repeat(makeRetention(options), Schedule.spaced(600_000))

describe("retention", () => {
  const entries = (world: Awaited<ReturnType<typeof makeWorld>>) => world.entries().map(({ id }) => Number(id))

  it("removes audit entries as soon as they reach the configured age, and not before", async () => {
    const world = await makeWorld()
    await world.run(
      Effect.gen(function* () {
        yield* record()
        yield* sealAuditEntries
        yield* TestClock.adjust(1)
        yield* record()
        yield* sealAuditEntries
        const keeper = yield* Effect.forkChild(retained({ auditMs: DAY_MS, logsMs: null }), {
          startImmediately: true
        })
        // A turn each ten minutes, from now on: the first was made a millisecond before.
        yield* TestClock.adjust(DAY_MS - 600_000)
        expect(entries(world)).toEqual([1, 2])
        yield* TestClock.adjust(600_000)
        expect(entries(world)).toEqual([2])
        expect(yield* verified).toMatchObject([
          { links: 1, found: 0, pruned: { seq: 1, entryId: AuditEntryId.make(1) } }
        ])
        yield* TestClock.adjust(600_000)
        expect(entries(world)).toEqual([])
        yield* Fiber.interrupt(keeper)
      })
    )
  })

  const hourMs = 3_600_000

  /** Runs the body beside the keeper, whose clock is set ahead of the test's by so much. */
  const keptBy = (world: Awaited<ReturnType<typeof makeWorld>>, aheadMs: () => number) => (body: Effect.Effect<void>) =>
    world.run(
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const read = () => clock.currentTimeMillisUnsafe() + aheadMs()
        const set = { ...clock, currentTimeMillisUnsafe: read, currentTimeMillis: Effect.sync(read) }
        const keeper = yield* retained({ auditMs: DAY_MS, logsMs: null }).pipe(
          Effect.provideService(Clock.Clock, set),
          Effect.forkChild({ startImmediately: true })
        )
        yield* body
        yield* Fiber.interrupt(keeper)
      })
    )

  it("removes nothing for an hour after the clock jumped forward by more than a day", async () => {
    const world = await makeWorld()
    await world.run(Effect.andThen(record(), sealAuditEntries))
    let days = 0
    await keptBy(
      world,
      () => days * DAY_MS
    )(
      Effect.gen(function* () {
        yield* TestClock.adjust(600_000)
        days = 10
        yield* TestClock.adjust(hourMs)
        expect(entries(world)).toEqual([1])
        days = 0
        yield* TestClock.adjust(2 * hourMs)
        expect(entries(world)).toEqual([1])
        days = 10
        yield* TestClock.adjust(hourMs)
        days = 20
        yield* TestClock.adjust(hourMs)
        expect(entries(world)).toEqual([1])
        yield* TestClock.adjust(600_000)
        expect(entries(world)).toEqual([])
      })
    )
  })

  it("removes nothing for an hour after a start that is more than a day later than the newest entry", async () => {
    const world = await makeWorld()
    await world.run(Effect.andThen(record(), sealAuditEntries))
    await world.run(TestClock.adjust(3 * DAY_MS))
    await keptBy(
      world,
      () => 0
    )(
      Effect.gen(function* () {
        expect(entries(world)).toEqual([1])
        yield* TestClock.adjust(600_000)
      })
    )
    // What was written by that clock since does not count, at another start.
    await world.run(Effect.andThen(record(), sealAuditEntries))
    await keptBy(
      world,
      () => 0
    )(
      Effect.gen(function* () {
        yield* TestClock.adjust(hourMs - 600_000)
        expect(entries(world)).toEqual([1, 2])
        yield* TestClock.adjust(600_000)
        expect(entries(world)).toEqual([2])
      })
    )
  })

  const endedDelivery = (id: string, at: Instant) => ({
    id: DeliveryId.make(id),
    accountId: acme.id,
    automationId: "a" as never,
    destinationId: null,
    recordingUuid: null,
    auditEntryId: null,
    test: false,
    redeliveryOf: null,
    event: "e",
    body: "{}",
    createdAt: at,
    schedule: folderSchedule,
    state: { _tag: "Cancelled" as const, at },
    attempts: []
  })

  it("removes nothing for an hour after a start without an entry that is older than an hour", async () => {
    const world = await makeWorld()
    const { deliveries } = world.store
    const madeAt = (await world.run(Effect.clockWith((clock) => clock.currentTimeMillis))) as Instant
    await world.run(
      Effect.gen(function* () {
        yield* deliveries.insert(endedDelivery("d", madeAt))
        yield* TestClock.adjust(100 * DAY_MS)
        yield* Effect.andThen(record(), sealAuditEntries)
        const keeper = yield* Effect.forkChild(retained({ auditMs: null, logsMs: DAY_MS }), {
          startImmediately: true
        })
        yield* TestClock.adjust(hourMs - 600_000)
        expect(yield* deliveries.list({})).toHaveLength(1)
        yield* TestClock.adjust(600_000)
        expect(yield* deliveries.list({})).toEqual([])
        yield* Fiber.interrupt(keeper)
      })
    )
  })

  it("removes ended deliveries in as many batches as needed, and keeps pending ones", async () => {
    const world = await makeWorld()
    const { deliveries } = world.store
    const madeAt = (await world.run(Effect.clockWith((clock) => clock.currentTimeMillis))) as Instant
    const delivery = (index: number) => {
      const ended = endedDelivery(`d${index}`, madeAt)
      return index % 100 === 0 ? { ...ended, state: { _tag: "Scheduled" as const, dueAt: madeAt } } : ended
    }
    await world.run(
      Effect.gen(function* () {
        yield* Effect.forEach(
          Array.from({ length: 450 }, (_, index) => delivery(index)),
          deliveries.insert
        )
        const keeper = yield* Effect.forkChild(retained({ auditMs: null, logsMs: DAY_MS }), {
          startImmediately: true
        })
        yield* TestClock.adjust(DAY_MS)
        expect(yield* deliveries.list({})).toHaveLength(450)
        yield* TestClock.adjust(600_000)
        expect((yield* deliveries.list({})).map(({ id }) => id)).toEqual(["d0", "d100", "d200", "d300", "d400"])
        expect((yield* deliveries.queue).scheduled).toBe(5)
        yield* Fiber.interrupt(keeper)
      })
    )
  })
})
