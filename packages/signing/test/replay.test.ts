import {
  memoryReplayStore,
  type ReplayStore,
  type SyncReplayStore,
  signSync,
  verify,
  verifyResult,
  verifyResultSync,
  verifySync
} from "@tapedeck/signing"
import { expect, test } from "vitest"

const timestamp = 1_767_225_600
const secret = "s3cret"
const body = "{}"

const attempt = (at = timestamp, id = "msg_1") => ({
  body,
  secret,
  headers: signSync({ scheme: "standard", id, timestamp: at, body, secret }),
  now: at * 1000
})

test("a copy of an accepted attempt is refused", async () => {
  const replayStore = memoryReplayStore()
  expect(verifySync({ ...attempt(), replayStore })).toMatchObject({ id: "msg_1", timestamp })
  const expected = { ok: false, error: { code: "replayed", data: { id: "msg_1", timestamp } } }
  expect(verifyResultSync({ ...attempt(), replayStore })).toMatchObject(expected)
  expect(await verifyResult({ ...attempt(), replayStore })).toMatchObject(expected)
})

test("the sender's next attempt of the same delivery is accepted, because the receiver's work may have failed after its check", () => {
  const replayStore = memoryReplayStore()
  verifySync({ ...attempt(), replayStore })
  expect(verifySync({ ...attempt(timestamp + 60), replayStore })).toMatchObject({
    id: "msg_1",
    timestamp: timestamp + 60
  })
})

test("the store is called with verified ids only, and with the time until which a copy could pass", async () => {
  const asked: Array<readonly [string, number]> = []
  const replayStore: SyncReplayStore = { seen: (id, until) => asked.push([id, until]) > 99 }
  expect(verifyResultSync({ ...attempt(), body: "[]", replayStore }).ok).toBe(false)
  expect(verifyResultSync({ ...attempt(), now: 0, replayStore }).ok).toBe(false)
  expect(asked).toEqual([])
  verifySync({ ...attempt(), replayStore })
  await verify({ ...attempt(), toleranceSeconds: 10.5, replayStore })
  expect(asked).toEqual([
    [`msg_1.${timestamp}`, timestamp + 300],
    [`msg_1.${timestamp}`, timestamp + 11]
  ])
})

test("a store may answer asynchronously, except to verifySync, and its errors are passed to the caller", async () => {
  const later: ReplayStore = { seen: async (id) => id.startsWith("msg_1.") }
  expect(await verifyResult({ ...attempt(), replayStore: later })).toMatchObject({ error: { code: "replayed" } })
  expect(await verify({ ...attempt(timestamp, "msg_2"), replayStore: later })).toMatchObject({ id: "msg_2" })
  expect(() => verifySync({ ...attempt(), replayStore: later as SyncReplayStore })).toThrow(
    "replayStore must be one that answers at once, for verifySync."
  )
  const lost: ReplayStore = { seen: () => Promise.reject(new Error("no connection")) }
  await expect(verifyResult({ ...attempt(), replayStore: lost })).rejects.toThrow("no connection")
})

test("one of two copies that arrive together is accepted", async () => {
  const replayStore = memoryReplayStore()
  const results = await Promise.all([1, 2, 3].map(() => verifyResult({ ...attempt(), replayStore })))
  expect(results.map(({ ok }) => ok).sort()).toEqual([false, false, true])
})

test("the store in memory is bounded: a new id evicts the oldest", () => {
  const store = memoryReplayStore({ capacity: 2 })
  const seen = (id: string) => store.seen(id, 0)
  expect([seen("a"), seen("b"), seen("a"), seen("c"), seen("b"), seen("a")]).toEqual([
    false,
    false,
    true,
    false,
    true,
    false
  ])
  expect(() => memoryReplayStore({ capacity: 0 })).toThrow("capacity must be an integer of at least 1.")
})

test("an infinite tolerance is refused with a replay store", () => {
  const options = { ...attempt(), replayStore: memoryReplayStore(), toleranceSeconds: Number.POSITIVE_INFINITY }
  expect(() => verifySync(options)).toThrow(/^toleranceSeconds must be finite/)
})
