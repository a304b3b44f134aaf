import { startEmulator } from "@tapedeck/emulator"
import * as matchers from "@tapedeck/emulator/jest"
import { fixtures, recording } from "../fixtures.mjs"

expect.extend(matchers)

let emulator
beforeAll(async () => {
  emulator = await startEmulator({ fixtures })
})
afterAll(() => emulator.close())

test("ES modules: the emulator runs in the test's process", async () => {
  const world = await emulator.fork()
  await world.addToFolder("vip", recording)
  await world.clock.advance({ until: "idle" })
  const deliveries = await world.deliveries()
  expect(deliveries).toHaveLength(1)
  expect(deliveries[0]).toHaveAttemptsAt("0", "1m")
  expect(deliveries[0]).toHaveValidSignatures("s3cret")
  expect(await world.sinks.get("crm")).not.toHaveValidSignatures("another")
  expect(deliveries[0]).toEqual(expect.toBeDelivered())
})
