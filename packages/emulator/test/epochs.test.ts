import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { startEmulator } from "../src/index.ts"
import { maxAnsweredMoves } from "../src/world/World.ts"

const opened = async (url: string) => {
  const emulator = await startEmulator({
    fixtures: {
      users: [{ email: "ada@acme.test", name: "Ada", role: "admin" }],
      folders: [{ id: "bugs", name: "Bugs" }],
      sinks: [{ id: "crm" }],
      automations: [{ id: "crm", folder: "bugs", url }]
    }
  })
  onTestFinished(() => emulator.close())
  return emulator
}

test("a send-test that is open over a reset changes nothing in the world that was reset", async () => {
  const arrived = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const receiver = createServer(async (_request, response) => {
    arrived.resolve()
    await gate.promise
    response.end("ok")
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => new Promise<void>((resolve) => void receiver.close(() => resolve())))
  const emulator = await opened(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`)
  const token = await emulator.signIn("ada@acme.test")
  const call = (method: string, path: string) =>
    emulator.fetch(`/api/settings${path}`, { method, headers: { authorization: `Bearer ${token}` } })
  const testing = call("POST", "/automations/crm/test")
  await arrived.promise
  await emulator.reset()
  const before = await emulator.snapshot()
  gate.resolve()
  expect((await testing).status).toBe(404)
  expect((await emulator.snapshot()).present).toMatchObject({ store: before.present.store })
  expect((await emulator.journal.read({ kind: "attempt" })).entries).toEqual([])
})

test("the answers of the last 1,000 moves are kept for a repeat", async () => {
  const emulator = await opened("sink:crm")
  const moved = async (key: string) => {
    const response = await emulator.fetch("/_emulator/clock/advance", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ by: 1_000 })
    })
    return ((await response.json()) as { now: string }).now
  }
  const first = await moved("0")
  for (let n = 1; n < maxAnsweredMoves; n++) await moved(String(n))
  expect(await moved("0")).toBe(first)
  await moved("one more")
  expect(await moved("0")).not.toBe(first)
})
