import { Instant, type Receiver } from "@tapedeck/domain"
import type { Claim, QueueKey } from "@tapedeck/domain/delivery"
import { MAX_BODY_BYTES } from "@tapedeck/domain/template"
import { Cause, Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Answer, Guard, leaseMs, makeDispatcher, makeReceiver, Sender } from "../../src/index.ts"
import {
  DeliveryRefused,
  makeSqlQueue,
  type NewDelivery,
  type SqlDelivery,
  type SqlQueue
} from "../../src/sql/index.ts"

import { listTests } from "./listTests.ts"

/** 10 seconds, 1 minute, 1 hour. */
const schedule = [10_000, 60_000, 3_600_000]
const start = 1_000_000
const at = (ms: number) => Instant.make(start + ms)

const failure: Answer = { outcome: "failure", statusCode: 500, response: null, error: null }
const success: Answer = { outcome: "success", statusCode: 204, response: null, error: null }

/** What a queue in a table promises, on a database of which `open` gives an empty one, twice: as two processes have it. */
export const sqlQueueSuite = (
  open: () => Promise<{ readonly client: () => Layer.Layer<SqlClient, SqlError>; readonly close: () => Promise<void> }>
) => {
  let close: () => Promise<void>
  let runtime: ManagedRuntime.ManagedRuntime<SqlClient, SqlError>
  let other: typeof runtime
  let queue: SqlQueue<SqlError>
  let receivers: Map<string, Receiver>
  let sent: Array<{ readonly id: string | undefined; readonly body: string; readonly ms: number }>
  let answer: () => Effect.Effect<Answer>

  const run = <A, E>(effect: Effect.Effect<A, E, SqlClient>) => runtime.runPromise(effect)

  const queueOn = (on: typeof runtime) =>
    on.runPromise(
      makeSqlQueue<SqlError>({
        receiverOf: (id) =>
          id === "unreadable"
            ? Effect.die(new Error("the receivers cannot be read"))
            : Effect.sync(() => receivers.get(id))
      })
    )

  beforeEach(async () => {
    const database = await open()
    close = database.close
    const onTestClock = () => ManagedRuntime.make(Layer.merge(database.client(), TestClock.layer()))
    runtime = onTestClock()
    other = onTestClock()
    receivers = new Map([["crm", makeReceiver({ url: "https://crm.test/hook", secret: "whsec_c2VjcmV0", schedule })]])
    sent = []
    answer = () => Effect.succeed(failure)
    queue = await queueOn(runtime)
    await run(queue.createTable)
    // As the next start does.
    await run(queue.createTable)
    await pass(start)
  })
  afterEach(async () => {
    await runtime.dispose()
    await other.dispose()
    await close()
  })

  const pass = async (ms: number) => {
    await runtime.runPromise(TestClock.adjust(ms))
    await other.runPromise(TestClock.adjust(ms))
  }
  const setTime = async (to: number) => {
    await runtime.runPromise(TestClock.setTime(to))
    await other.runPromise(TestClock.setTime(to))
  }

  const add = (more: Partial<NewDelivery> = {}) =>
    run(queue.add({ id: "order-1", receiver: "crm", body: '{"event":"order.paid"}', ...more }))
  const claim = (limit = 10) => run(queue.claim({ limit, leaseMs }))
  const byId = (id = "order-1") => run(queue.byId(id))

  const dispatcherOf = (one: SqlQueue<SqlError>) =>
    makeDispatcher(one, { vendor: "Shop", version: "1.0", standardWebhooks: true }).pipe(
      Effect.provideService(Guard, { check: () => Effect.succeed(null) }),
      Effect.provideService(Sender, {
        send: ({ headers, text }, { startedAt }) => {
          sent.push({ id: Object.fromEntries(headers)["webhook-id"], body: text, ms: startedAt - start })
          return answer()
        }
      })
    )

  /** Performs what is due. */
  const performDue = async () => {
    const dispatcher = await run(dispatcherOf(queue))
    for (const one of await claim()) await run(dispatcher.perform(one))
  }

  /** Goes from due instant to due instant until nothing is left. */
  const untilIdle = async () => {
    for (let due = await run(queue.agenda!.next); due !== undefined; due = await run(queue.agenda!.next)) {
      await setTime(due.at)
      await performDue()
    }
  }

  it("sends an event at once, and again after each delay of its receiver's schedule, signed with its id", async () => {
    await add()
    await untilIdle()
    expect(sent).toEqual(
      [0, 10_000, 60_000 + 10_000, 3_600_000 + 70_000].map((ms) => ({
        id: "order-1",
        body: '{"event":"order.paid"}',
        ms
      }))
    )
    expect(await byId()).toMatchObject({
      state: { _tag: "PermanentlyFailed", at: at(3_670_000) },
      attempts: [1, 2, 3, 4].map((attempt) => ({ attempt, outcome: "failure", statusCode: 500 }))
    })
  })

  it("is done with the first success", async () => {
    await add()
    answer = () => Effect.succeed(success)
    await untilIdle()
    expect(sent).toHaveLength(1)
    expect(await byId()).toMatchObject({ state: { _tag: "Delivered", at: at(0) }, attempts: [{ statusCode: 204 }] })
  })

  it("sends nothing before its time", async () => {
    await add({ dueAt: at(5_000) })
    expect(await claim()).toEqual([])
    await pass(4_999)
    expect(await claim()).toEqual([])
    await pass(1)
    expect(await claim()).toHaveLength(1)
  })

  it("is added in the transaction of its event: both are written, or neither", async () => {
    await run(Effect.flatMap(SqlClient, (sql) => sql`CREATE TABLE orders (id TEXT PRIMARY KEY)`))
    const order = (after: Effect.Effect<void, string>) =>
      run(
        Effect.flatMap(SqlClient, (sql) =>
          Effect.exit(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`INSERT INTO orders ${sql.insert({ id: "1" })}`
                yield* queue.add({ id: "order-1", receiver: "crm", body: "{}" })
                yield* after
              })
            )
          )
        )
      )
    expect(Exit.isFailure(await order(Effect.fail("no money")))).toBe(true)
    expect(await byId()).toBeUndefined()
    expect(await claim()).toEqual([])
    expect(Exit.isSuccess(await order(Effect.void))).toBe(true)
    expect(await claim()).toHaveLength(1)
  })

  it("wakes the worker of its process after the commit", async () => {
    const woken = await run(
      Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(queue.agenda!.changed, { startImmediately: true })
        yield* queue.add({ id: "order-1", receiver: "crm", body: "{}" })
        yield* Fiber.join(waiting)
        return true
      })
    )
    expect(woken).toBe(true)
  })

  const refused = async (more: Partial<NewDelivery>) => {
    const exit = await run(Effect.exit(queue.add({ id: "order-1", receiver: "crm", body: "{}", ...more })))
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    expect(error).toBeInstanceOf(DeliveryRefused)
    return (error as DeliveryRefused).message
  }

  it("refuses an id that no signature can have, an id that is there, a body that is too long, an unknown receiver", async () => {
    const problem = "id: 1 to 255 visible ASCII characters without a full stop are required"
    for (const id of ["", "a.b", "a b", "é", "a".repeat(256)]) expect(await refused({ id })).toBe(problem)
    await add({ id: "a".repeat(255) })
    expect(await refused({ id: "a".repeat(255) })).toMatch(/^id: there is a delivery a+ already$/)
    expect(await refused({ body: `${"é".repeat(MAX_BODY_BYTES / 2)}a` })).toBe(
      `body: more than ${MAX_BODY_BYTES} bytes`
    )
    await add({ id: "long", body: "é".repeat(MAX_BODY_BYTES / 2) })
    expect(await refused({ receiver: "erp" })).toBe("receiver: there is no receiver erp")
    expect(await claim()).toHaveLength(2)
  })

  it("cancels what waits for a receiver that was removed since, and says so", async () => {
    await add()
    receivers.delete("crm")
    await performDue()
    expect(sent).toEqual([])
    expect(await byId()).toMatchObject({ state: { _tag: "Cancelled" }, attempts: [] })
  })

  it("claims nothing if the receivers cannot be read", async () => {
    receivers.set("unreadable", makeReceiver({ url: "https://unreadable.test" }))
    await run(
      Effect.flatMap(makeSqlQueue({ receiverOf: (id) => Effect.sync(() => receivers.get(id)) }), (readable) =>
        readable.add({ id: "order-1", receiver: "unreadable", body: "{}" })
      )
    )
    expect(Exit.isFailure(await run(Effect.exit(queue.claim({ limit: 1, leaseMs }))))).toBe(true)
    const readable = await run(makeSqlQueue({ receiverOf: (id) => Effect.sync(() => receivers.get(id)) }))
    expect(await run(readable.claim({ limit: 1, leaseMs }))).toMatchObject([{ fence: 1, reason: "due" }])
  })

  it("cancels a waiting delivery at once, and one in flight with its outcome", async () => {
    await add()
    expect(await run(queue.cancel("order-1"))).toBe(true)
    expect(await byId()).toMatchObject({ state: { _tag: "Cancelled", at: at(0) } })
    expect(await run(queue.cancel("order-1"))).toBe(false)
    expect(await run(queue.cancel("another"))).toBe(false)

    await add({ id: "order-2" })
    answer = () => Effect.as(Effect.orDie(queue.cancel("order-2")), failure)
    await performDue()
    expect(await byId("order-2")).toMatchObject({ state: { _tag: "Cancelled" }, attempts: [{ statusCode: 500 }] })

    await add({ id: "order-3" })
    answer = () => Effect.as(Effect.orDie(queue.cancel("order-3")), success)
    await performDue()
    expect(await byId("order-3")).toMatchObject({ state: { _tag: "Delivered" } })
    expect(await run(queue.agenda!.next)).toBeUndefined()
  })

  it("gives each delivery to one of two processes that claim at the same time", async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `order-${index}`)
    for (const id of ids) await add({ id })
    const second = await queueOn(other)
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, turn) =>
        turn % 2 === 0 ? run(queue.claim({ limit: 4, leaseMs })) : other.runPromise(second.claim({ limit: 4, leaseMs }))
      )
    )
    const claimed = [...claims.flat(), ...(await claim(40))].map(({ delivery }) => delivery.id)
    expect(claimed.toSorted()).toEqual(ids.toSorted())
  })

  it("lets an attempt whose lease ended be claimed as lost, and its first worker write nothing any more", async () => {
    await add()
    const [first] = await claim()
    await pass(leaseMs - 1)
    expect(await claim()).toEqual([])
    await pass(1)
    const [second] = await claim()
    expect(second).toMatchObject({ reason: "lost", fence: 2, delivery: { state: { startedAt: at(0) } } })
    const written: Array<SqlDelivery> = []
    const settle = (one: Claim<SqlDelivery>) =>
      run(
        queue.settle(one, (delivery, now) => {
          written.push(delivery)
          return { ...delivery, state: { _tag: "Delivered", at: now } }
        })
      )
    expect(await settle(first!)).toBeNull()
    await run(queue.hold(first!, { ...failure, request: null }, at(leaseMs + 5)))
    expect(await run(queue.renew([first!, second!], leaseMs))).toEqual([false, true])
    expect(written).toEqual([])
    expect(await settle(second!)).toMatchObject({ state: { _tag: "Delivered" } })
    expect(await settle(second!)).toBeNull()
    expect(await run(queue.renew([second!], leaseMs))).toEqual([false])
  })

  it("renews leases, those that have ended too", async () => {
    await add()
    const claims = await claim()
    await pass(leaseMs - 1)
    expect(await run(queue.renew(claims, leaseMs))).toEqual([true])
    await pass(leaseMs - 1)
    expect(await claim()).toEqual([])
    await pass(leaseMs)
    expect(await run(queue.renew(claims, leaseMs))).toEqual([true])
    expect(await claim()).toEqual([])
    expect(await run(queue.renew([], leaseMs))).toEqual([])
  })

  it("holds a result until the end of its attempt", async () => {
    await add()
    answer = () => Effect.succeed({ ...success, endsAt: at(7_000) })
    await performDue()
    expect(await byId()).toMatchObject({ state: { _tag: "Attempting" }, attempts: [] })
    expect(await run(queue.agenda!.next)).toEqual({ at: at(7_000), kind: "delivery" })
    await untilIdle()
    expect(sent).toHaveLength(1)
    expect(await byId()).toMatchObject({
      state: { _tag: "Delivered", at: at(7_000) },
      attempts: [{ endedAt: at(7_000) }]
    })
  })

  it("claims of each key as many as are allocated, in due order", async () => {
    receivers.set("erp", makeReceiver({ url: "https://erp.test", schedule }))
    for (const [index, [receiver, accountId]] of (
      [
        ["crm", 1],
        ["crm", 1],
        ["erp", 1],
        ["erp", 2],
        ["crm", 1]
      ] as const
    ).entries()) {
      await add({ id: `order-${index}`, receiver, accountId })
    }
    let keys: ReadonlyArray<QueueKey> = []
    const claims = await run(
      queue.claim({
        limit: 10,
        leaseMs,
        allocate: (asked) => {
          keys = asked
          return [2, 0, 1]
        }
      })
    )
    expect(keys).toEqual([
      { accountId: 1, receiver: "crm", isFirstAttempt: true },
      { accountId: 1, receiver: "erp", isFirstAttempt: true },
      { accountId: 2, receiver: "erp", isFirstAttempt: true }
    ])
    expect(claims.map(({ delivery }) => delivery.id)).toEqual(["order-0", "order-1", "order-3"])
    expect(queue.keyOf(claims[2]!.delivery)).toEqual(keys[2])
  })

  it("removes what ended before an instant, and nothing that has not ended", async () => {
    await add({ id: "waiting", dueAt: at(1_000_000) })
    for (const id of ["one", "two", "three"]) {
      answer = () => Effect.succeed(success)
      await add({ id })
      await performDue()
      await pass(1)
    }
    expect(await run(queue.prune(at(2), 1))).toBe(1)
    expect(await run(queue.prune(at(2), 10))).toBe(1)
    expect(await run(queue.prune(at(2), 10))).toBe(0)
    expect(await byId("three")).toBeDefined()
    expect(await byId("waiting")).toBeDefined()
  })

  listTests({
    add,
    performDue,
    untilIdle,
    run,
    queue: () => queue,
    claim: () => claim(),
    receivers: () => receivers,
    sent: () => sent,
    answerWith: (status) => {
      answer = () => Effect.succeed(status === 204 ? success : failure)
    }
  })

  describe("the name of its table", () => {
    it("is one of letters, digits and _", async () => {
      const opened = (table: string) => run(Effect.exit(makeSqlQueue({ table, receiverOf: () => Effect.undefined })))
      for (const table of ["", "a b", "a;DROP TABLE b", "a".repeat(51)]) {
        expect(Exit.isFailure(await opened(table)), table).toBe(true)
      }
      expect(Exit.isSuccess(await opened("a".repeat(50)))).toBe(true)
    })
  })
}
