import { type Store, StoreBusy } from "@tapedeck/core"
import { aFolder, aToken, instantAfter, startInstant } from "@tapedeck/testkit/samples"
import { Cause, Effect } from "effect"
import { afterAll, expect, test } from "vitest"
import { CuttingLine } from "../../src/support/CuttingLine.ts"
import { directory, emptyDatabase, openPostgres, stopPostgres } from "../conformance/postgres.ts"
import { twoNodes } from "./nodes.ts"

afterAll(stopPostgres)

/** Outside the transaction of the fiber that calls it. */
const runOutside = (effect: Effect.Effect<unknown>) => Effect.runPromise(effect)

const contended = aFolder("contended", { name: "0" })

/** Reads a folder, waits, and writes it: concurrent calls conflict. The folder's name is the number of calls. */
const increase = (store: Store, meanwhile: Effect.Effect<unknown> = Effect.void) =>
  store.transaction(
    Effect.gen(function* () {
      const before = (yield* store.folders.byId(contended.id)) ?? contended
      yield* meanwhile
      yield* store.folders.save({ ...before, name: String(Number(before.name) + 1) })
    })
  )

const callsOf = (store: Store) => Effect.map(store.folders.byId(contended.id), (folder) => Number(folder?.name))

test("a transaction that shorter ones beat again and again commits, because they wait for it", async () => {
  const program = Effect.gen(function* () {
    const { nodes } = yield* twoNodes
    const [store, other] = nodes
    yield* increase(store)
    const shorter: Array<Promise<unknown>> = []
    const beginShort = Effect.suspend(() => {
      // On another node, so that only the database makes it wait.
      const short = runOutside(increase(other))
      shorter.push(short)
      // One that has to wait is not waited for.
      return Effect.timeoutOption(
        Effect.promise(() => short),
        "200 millis"
      )
    })
    yield* increase(store, beginShort)
    yield* Effect.promise(() => Promise.all(shorter))
    expect(shorter.length).toBeLessThan(10)
    expect(yield* callsOf(store)).toBe(shorter.length + 2)
  })
  await Effect.runPromise(Effect.scoped(program))
})

/** Two nodes whose statements take 2 ms longer each. */
const slowNodes = Effect.gen(function* () {
  const database = yield* emptyDatabase
  const url = new URL(database.url)
  const port = Number(url.port)
  const line = yield* Effect.acquireRelease(
    Effect.promise(() => CuttingLine.start({ to: () => port, delayMs: 2 })),
    (line) => Effect.promise(() => line.close())
  )
  url.port = String(line.port)
  const open = openPostgres(url.href, yield* directory)
  return [yield* open, yield* open] as const
})

test("64 concurrent changes of one row on two nodes all commit, on a slow database too", async () => {
  const program = Effect.gen(function* () {
    const [one, two] = yield* slowNodes
    const calls = Array.from({ length: 32 }, () => [increase(one), increase(two)]).flat()
    yield* Effect.all(calls, { concurrency: "unbounded" })
    expect(yield* callsOf(one)).toBe(64)
  })
  await Effect.runPromise(Effect.scoped(program))
})

test("64 concurrent calls count in one window of tries and of the rate limit, beside transactions that change the row", async () => {
  const program = Effect.gen(function* () {
    const [one, two] = yield* slowNodes
    const window = { key: "contended", tries: 1, endsAt: instantAfter(1_000) }
    const { id } = aToken("t1", 11)
    const calls = [one, two].flatMap((store) =>
      Array.from({ length: 32 }, () => [
        store.tryWindows.count(window, startInstant),
        store.rateWindows.count(id, startInstant, 1_000)
      ])
    )
    yield* Effect.all(calls.flat(), { concurrency: "unbounded" })
    expect(yield* one.tryWindows.byKey(window.key)).toMatchObject({ tries: 64 })
    expect(yield* one.rateWindows.byToken(id)).toMatchObject({ requests: 64 })
  })
  await Effect.runPromise(Effect.scoped(program))
})

test("a transaction that conflicts at each of its 20 tries is StoreBusy, and nothing of it is kept", async () => {
  const program = Effect.gen(function* () {
    const { nodes } = yield* twoNodes
    const [store] = nodes
    const count = store.tryWindows.count({ key: "contended", tries: 1, endsAt: instantAfter(1_000) }, startInstant)
    const beaten = store.transaction(
      Effect.gen(function* () {
        yield* store.folders.save(contended)
        yield* store.tryWindows.byKey("contended")
        yield* Effect.promise(() => runOutside(count))
        yield* count
      })
    )
    const cause = yield* Effect.flip(Effect.sandbox(beaten))
    expect(Cause.squash(cause)).toBeInstanceOf(StoreBusy)
    expect(yield* store.tryWindows.byKey("contended")).toMatchObject({ tries: 20 })
    expect(yield* store.folders.byId(contended.id)).toBeUndefined()
  })
  await Effect.runPromise(Effect.scoped(program))
})
