import type { Receiver } from "@tapedeck/domain"
import { Cause, Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { describe, expect, it } from "vitest"
import { makeReceiver } from "../../src/index.ts"
import { DeliveryRefused, type ListOptions, type NewDelivery, type SqlQueue } from "../../src/sql/index.ts"

/** The queue of the suite and what its tests do with it. */
interface Bench {
  readonly queue: () => SqlQueue<SqlError>
  readonly run: <A, E>(effect: Effect.Effect<A, E, SqlClient>) => Promise<A>
  readonly receivers: () => Map<string, Receiver>
  readonly sent: () => ReadonlyArray<object>
  readonly answerWith: (status: 204 | 500) => void
  readonly add: (more?: Partial<NewDelivery>) => Promise<unknown>
  readonly claim: () => Promise<unknown>
  readonly performDue: () => Promise<void>
  readonly untilIdle: () => Promise<void>
}

/** What a queue in a table promises of its list, and of redeliveries. */
export const listTests = ({ add, answerWith, claim, performDue, queue, receivers, run, sent, untilIdle }: Bench) => {
  describe("its list", () => {
    const list = (options?: ListOptions) => run(queue().list(options))
    const idsOf = async (options?: ListOptions) => (await list(options)).map(({ id }) => id)

    it("has deliveries by id, page by page, with their attempts and without their bodies", async () => {
      for (const id of ["c", "a", "b"]) await add({ id })
      await performDue()
      const [first, ...more] = await list({ limit: 2 })
      expect(first).toMatchObject({
        id: "a",
        receiver: "crm",
        state: { _tag: "Waiting" },
        attempts: [{ statusCode: 500 }]
      })
      expect(first).not.toHaveProperty("body")
      expect(more.map(({ id }) => id)).toEqual(["b"])
      expect(await idsOf({ limit: 2, after: "b" })).toEqual(["c"])
      expect(await idsOf()).toEqual(["a", "b", "c"])
    })

    it("is filtered by receiver, and by the state that a delivery has or ended in", async () => {
      receivers().set("erp", makeReceiver({ url: "https://erp.test" }))
      answerWith(204)
      await add({ id: "delivered" })
      await performDue()
      answerWith(500)
      await add({ id: "failed", receiver: "erp" })
      await performDue()
      await add({ id: "cancelled" })
      await run(queue().cancel("cancelled"))
      await add({ id: "waiting" })
      await performDue()
      await add({ id: "claimed" })
      await claim()
      expect(await idsOf({ receiver: "erp" })).toEqual(["failed"])
      expect(await idsOf({ state: "delivered" })).toEqual(["delivered"])
      expect(await idsOf({ state: "permanently_failed" })).toEqual(["failed"])
      expect(await idsOf({ state: "cancelled" })).toEqual(["cancelled"])
      expect(await idsOf({ state: "pending" })).toEqual(["claimed", "waiting"])
      expect(await idsOf({ state: "pending", receiver: "erp" })).toEqual([])
    })

    it("has at most 100 deliveries: other limits are refused", async () => {
      const exitOf = (limit: number) => run(Effect.exit(queue().list({ limit })))
      for (const limit of [0, 101, 1.5, Number.NaN]) {
        const exit = await exitOf(limit)
        expect(Exit.isFailure(exit) && Cause.squash(exit.cause), String(limit)).toEqual(
          new RangeError("limit: an integer from 1 to 100 is required")
        )
      }
      for (const limit of [1, 100]) expect(Exit.isSuccess(await exitOf(limit))).toBe(true)
    })
  })

  describe("a redelivery", () => {
    it("sends the body of an ended delivery again, under a new id", async () => {
      await add({ accountId: 7 })
      await untilIdle()
      answerWith(204)
      const before = sent().length
      const again = await run(queue().redeliver("order-1", "order-1-again"))
      expect(again).toMatchObject({ id: "order-1-again", accountId: 7, receiver: "crm", attempts: [] })
      await performDue()
      expect(sent().slice(before)).toMatchObject([{ id: "order-1-again", body: '{"event":"order.paid"}' }])
      expect((await run(queue().byId("order-1-again")))?.state._tag).toBe("Delivered")
      expect((await run(queue().byId("order-1")))?.state._tag).toBe("PermanentlyFailed")
    })

    it("has the receiver's present schedule", async () => {
      await add()
      receivers().set("crm", makeReceiver({ url: "https://crm.test/hook", schedule: [1] }))
      expect((await run(queue().redeliver("order-1", "again")))?.schedule).toEqual([1])
    })

    it("of a delivery that does not exist is undefined, and an id that exists is refused", async () => {
      expect(await run(queue().redeliver("none", "again"))).toBeUndefined()
      await add()
      const refused = await run(Effect.flip(queue().redeliver("order-1", "order-1")))
      expect(refused).toEqual(new DeliveryRefused({ field: "id", problem: "there is a delivery order-1 already" }))
    })
  })
}
