import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Change, ChangeLog, maxKeptChanges, maxWaitingChanges } from "../src/index.ts"

const change = (n: number): Change => ({ kind: "delivery", accountId: 1, data: { id: `d${n}` } })
const changes = (count: number) => Array.from({ length: count }, (_, n) => change(n))

describe("a reader of changes", () => {
  it("is closed as too slow one change beyond its limit, and not at the limit", () => {
    const log = new ChangeLog("a")
    const reader = log.open(undefined, () => true)
    log.publish(changes(maxWaitingChanges))
    expect([reader.cut, reader.waiting.length]).toEqual([null, maxWaitingChanges])
    log.publish([change(0)])
    expect([reader.cut, reader.waiting.length]).toEqual(["slow_reader", 0])
  })

  it("gets the changes after the id that it names", () => {
    const log = new ChangeLog("a")
    log.publish([change(1)])
    const { lastId } = log
    log.publish([change(2), change(3)])
    expect(log.open(lastId, () => true).take()).toMatchObject([{ change: change(2) }, { change: change(3) }])
    expect(log.open(log.lastId, () => true).take()).toEqual([])
  })

  it.each([
    ["of another process", (log: ChangeLog) => log.lastId.replace("a-", "b-")],
    ["that is to come", (log: ChangeLog) => log.lastId.replace("-1", "-2")],
    ["that is no id", () => "a-x"]
  ])("gets a reset for an id %s", (_, idOf) => {
    const log = new ChangeLog("a")
    log.publish([change(1)])
    expect(log.open(idOf(log), () => true).take()).toEqual([{ id: "a-1", change: null }])
  })

  it("gets a reset if it missed more changes than the log keeps", () => {
    const log = new ChangeLog("a")
    const { lastId } = log
    for (let n = 0; n <= (2 * maxKeptChanges) / 1_000; n++) log.publish(changes(1_000))
    expect(log.open(lastId, () => true).take()).toMatchObject([{ change: null }])
  })

  it("gets no change that its user may not see, and is authenticated again after a change of its permissions", () => {
    const log = new ChangeLog("a")
    const reader = log.open(undefined, ({ accountId }) => accountId === 2)
    log.publish([change(1), { kind: "access" }])
    expect([reader.take(), reader.mustIdentify]).toEqual([[], true])
  })

  it("is closed when the process stops, and new readers are closed at once", () => {
    const log = new ChangeLog("a")
    const reader = log.open(undefined, () => true)
    log.end()
    expect([reader.cut, log.open(undefined, () => true).cut]).toEqual(["shutting_down", "shutting_down"])
  })
})

describe("a change of a transaction", () => {
  /** Returns the changes that are published during `use` of a log, one list for each step that it notes. */
  const published = async (use: (log: ChangeLog, note: Effect.Effect<void>) => Effect.Effect<unknown, string>) => {
    const log = new ChangeLog("a")
    const reader = log.open(undefined, () => true)
    const steps: Array<unknown> = []
    const note = Effect.sync(() => void steps.push(reader.take().map(({ change }) => change?.data.id)))
    await Effect.runPromise(Effect.andThen(Effect.exit(use(log, note)), note))
    return steps
  }

  it("is published when the outermost transaction has committed, once, in its order", async () => {
    const steps = published((log, note) => {
      const transaction = log.publishing((body) => body)
      const inner = transaction(log.publishOnCommit([change(2), change(3)]))
      return transaction(Effect.all([log.publishOnCommit(change(1)), inner, note]))
    })
    expect(await steps).toEqual([[], ["d1", "d2", "d3"]])
  })

  it("is not published if the transaction fails", async () => {
    const steps = published((log) =>
      log.publishing((body) => body)(Effect.andThen(log.publishOnCommit(change(1)), Effect.fail("no")))
    )
    expect(await steps).toEqual([[]])
  })

  it("is published once if the store runs the transaction again", async () => {
    const steps = published((log) =>
      log.publishing((body) => Effect.andThen(Effect.exit(body), body))(log.publishOnCommit(change(1)))
    )
    expect(await steps).toEqual([["d1"]])
  })

  it("is published at once outside of a transaction, and after one", async () => {
    const steps = published((log, note) => {
      const late = log.publishing((body) => body)(Effect.context<never>())
      const publish = log.publishOnCommit(change(1))
      return Effect.flatMap(late, (context) => Effect.all([publish, note, Effect.provideContext(publish, context)]))
    })
    expect(await steps).toEqual([["d1"], ["d1"]])
  })
})
