import { type Delivery, DeliveryId, type Recording } from "@tapedeck/domain"
import { type Claim, folderSchedule } from "@tapedeck/domain/delivery"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { emptyWorld, type MemoryStore, makeMemoryStore, type WorldState } from "../../src/index.ts"
import {
  acme,
  aDestination,
  ada,
  aFolder,
  anAutomation,
  aRecording,
  aStep,
  bob,
  instantAfter,
  startInstant,
  uuidOf
} from "../examples.ts"

const run = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.andThen(TestClock.setTime(instantAfter(2)), effect).pipe(Effect.provide(TestClock.layer())))

/** All that a state holds, as plain values that no later write can reach. */
const contentOf = (state: WorldState) =>
  structuredClone({
    counters: state.counters,
    recordings: [...state.recordings.entries()],
    recordingsByUuid: [...state.recordingsByUuid.entries()],
    lists: [...state.recordingLists.entries()],
    users: [...state.users.entries()],
    folders: [...state.folders],
    automations: [...state.automations],
    destinations: [...state.destinations],
    deliveries: [...state.deliveries.entries()],
    agenda: [...state.agenda.entries()],
    jobs: [...state.jobs.entries()],
    files: [...state.files.entries()]
  })

const aDelivery = (number: number, inMs: number): Delivery => ({
  id: DeliveryId.make(`delivery ${number}`),
  accountId: acme.id,
  automationId: null,
  destinationId: null,
  recordingUuid: null,
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body: "{}",
  createdAt: startInstant,
  schedule: folderSchedule,
  state: { _tag: "Scheduled", dueAt: instantAfter(inMs) },
  attempts: []
})

const delivered = ({ delivery }: Claim): Delivery => ({
  ...delivery,
  state: { _tag: "Delivered", at: instantAfter(2) }
})

type Write = (memory: MemoryStore) => Effect.Effect<unknown>

const write: fc.Arbitrary<Write> = fc
  .record({
    what: fc.constantFrom(
      "recording",
      "removal",
      "settings",
      "delivery",
      "claim",
      "step",
      "steps taken",
      "file",
      "number",
      "several"
    ),
    id: fc.integer({ min: 1, max: 40 }),
    owned: fc.boolean(),
    createdAt: fc.nat(3)
  })
  .map(({ createdAt, id, owned, what }): Write => {
    const recording = aRecording(id, { createdAt: instantAfter(createdAt), ownerId: owned ? ada.id : bob.id })
    return ({ count, store }) => {
      const saved = store.recordings.save(recording)
      switch (what) {
        case "recording":
          return saved
        case "removal":
          return store.recordings.remove(uuidOf(id))
        case "settings":
          return Effect.all([
            store.folders.save(aFolder(`f${id}`)),
            store.automations.save(anAutomation(`a${id}`)),
            store.destinations.save(aDestination(`d${id}`)),
            store.users.save({ ...ada, email: `ada-${id}@acme.test` })
          ])
        case "delivery":
          return Effect.flatMap(count("made"), (number) => store.deliveries.insert(aDelivery(number, createdAt)))
        case "claim":
          return Effect.flatMap(store.deliveries.claim({ limit: 2, leaseMs: 10 }), ([first]) =>
            first === undefined || !owned ? Effect.void : store.deliveries.settle(first, () => delivered(first))
          )
        case "step":
          return store.jobs.enqueue(aStep(id, createdAt))
        case "steps taken":
          return Effect.flatMap(store.jobs.claim({ slots: { step: 2 }, leaseMs: 10 }), ([first]) =>
            first === undefined ? Effect.void : store.jobs.finish(first)
          )
        case "file":
          return store.files.save(`f${id}`, { kind: "made_up", sizeBytes: id })
        case "number":
          return count("any")
        default:
          return store.transaction(Effect.andThen(saved, store.recordings.remove(uuidOf(id + 1))))
      }
    }
  })

const writes = fc.array(write, { maxLength: 60, size: "max" })

const apply = (memory: MemoryStore, all: ReadonlyArray<Write>) =>
  Effect.forEach(all, (one) => one(memory), { discard: true })

describe("a snapshot of the state in memory", () => {
  it("is not changed by later writes", async () => {
    await fc.assert(
      fc.asyncProperty(writes, writes, async (before, later) => {
        const memory = makeMemoryStore(emptyWorld())
        await run(apply(memory, before))
        const taken = memory.state()
        const content = contentOf(taken)
        await run(apply(memory, later))
        expect(contentOf(taken)).toEqual(content)
      }),
      { numRuns: 60 }
    )
  })

  it("is what `replace` restores, and the store then gives the same results as the first time", async () => {
    await fc.assert(
      fc.asyncProperty(writes, writes, writes, async (before, detour, later) => {
        const memory = makeMemoryStore(emptyWorld())
        await run(apply(memory, before))
        const taken = memory.state()
        await run(apply(memory, later))
        const straight = contentOf(memory.state())
        memory.replace(taken)
        expect(memory.state()).toBe(taken)
        await run(apply(memory, detour))
        memory.replace(taken)
        await run(apply(memory, later))
        expect(contentOf(memory.state())).toEqual(straight)
      }),
      { numRuns: 60 }
    )
  })

  it("can be continued by two independent stores", async () => {
    await fc.assert(
      fc.asyncProperty(writes, writes, writes, async (before, ours, theirs) => {
        const alone = makeMemoryStore(emptyWorld())
        await run(apply(alone, [...before, ...ours]))
        const [one, two] = [makeMemoryStore(emptyWorld()), makeMemoryStore(emptyWorld())]
        await run(apply(one, before))
        two.replace(one.state())
        const all = Math.max(ours.length, theirs.length)
        for (let turn = 0; turn < all; turn++) {
          await run(apply(two, theirs.slice(turn, turn + 1)))
          await run(apply(one, ours.slice(turn, turn + 1)))
        }
        expect(contentOf(one.state())).toEqual(contentOf(alone.state()))
      }),
      { numRuns: 60 }
    )
  })
})

describe("a transaction of the store in memory", () => {
  it("that fails leaves the previous state object in place", async () => {
    const memory = makeMemoryStore(emptyWorld())
    await run(memory.store.recordings.save(aRecording(1)))
    const state = memory.state()
    const failing = Effect.gen(function* () {
      yield* memory.store.recordings.save(aRecording(2))
      yield* memory.count("any")
      return yield* Effect.fail("no")
    })
    await run(Effect.exit(memory.store.transaction(failing)))
    expect(memory.state()).toBe(state)
  })

  it("replaces the state once, at its end", async () => {
    const memory = makeMemoryStore(emptyWorld())
    const state = memory.state()
    const seen: Array<WorldState> = []
    await run(
      memory.store.transaction(
        Effect.gen(function* () {
          yield* memory.store.recordings.save(aRecording(1))
          seen.push(memory.state())
          yield* memory.store.recordings.save(aRecording(2))
          seen.push(memory.state())
        })
      )
    )
    expect(seen.every((one) => one === state)).toBe(true)
    expect(memory.state()).not.toBe(state)
    expect(memory.state().recordings.size).toBe(2)
  })

  it("ends with its body: fibers that outlive it write neither into it nor into a snapshot", async () => {
    const memory = makeMemoryStore(emptyWorld())
    const { recordings, transaction } = memory.store
    const duration = (recording: Recording | undefined) => recording?.durationSeconds
    await run(
      Effect.gen(function* () {
        yield* recordings.save(aRecording(1))
        const straggler = Effect.gen(function* () {
          for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
          const seen = duration(yield* recordings.byUuid(uuidOf(1)))
          yield* recordings.save(aRecording(1, { durationSeconds: 7 }))
          return seen
        })
        const left = yield* transaction(
          Effect.andThen(recordings.save(aRecording(1, { durationSeconds: 1 })), Effect.forkDetach(straggler))
        )
        const taken = memory.state()
        yield* recordings.save(aRecording(1, { durationSeconds: 2 }))
        expect(yield* Fiber.join(left)).toBe(2)
        expect(duration(yield* recordings.byUuid(uuidOf(1)))).toBe(7)
        expect(duration(taken.recordings.get(1))).toBe(1)
      })
    )
  })

  it("of one store does not affect another store", async () => {
    const [one, two] = [makeMemoryStore(emptyWorld()), makeMemoryStore(emptyWorld())]
    const body = Effect.gen(function* () {
      yield* one.store.recordings.save(aRecording(1))
      yield* two.store.recordings.save(aRecording(2))
      return yield* Effect.fail("no")
    })
    await run(Effect.exit(one.store.transaction(body)))
    expect(await run(one.store.recordings.byUuid(uuidOf(1)))).toBeUndefined()
    expect(await run(two.store.recordings.byUuid(uuidOf(2)))).toEqual(aRecording(2))
  })

  it("counts by name from 1, and rolls counters back when it fails", async () => {
    const memory = makeMemoryStore(emptyWorld())
    await run(Effect.exit(memory.store.transaction(Effect.andThen(memory.count("a"), Effect.fail("no")))))
    expect(await run(Effect.all([memory.count("a"), memory.count("a"), memory.count("b")]))).toEqual([1, 2, 1])
  })
})

describe("a change of the agenda", () => {
  it("wakes a waiter once, even if it waits again at once", async () => {
    const { store } = makeMemoryStore(emptyWorld())
    let woken = 0
    const wait = Effect.forever(
      Effect.map(store.agenda.changed, () => {
        woken++
      })
    )
    await run(
      Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(wait, { startImmediately: true })
        for (const number of [1, 2, 3]) {
          yield* store.deliveries.insert(aDelivery(number, 0))
          for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow
          expect(woken).toBe(number)
        }
        yield* Fiber.interrupt(waiting)
      })
    )
  })
})
