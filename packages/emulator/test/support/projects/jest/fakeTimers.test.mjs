import { once } from "node:events"
import { createServer } from "node:http"
import { startEmulator } from "@tapedeck/emulator"
import { fixtures, recording } from "../fixtures.mjs"

const { jest } = import.meta

afterEach(() => jest.useRealTimers())

test("fake timers do not stop the emulator, nor its calls to real receivers", async () => {
  let received = 0
  const receiver = createServer((_, response) => {
    response.statusCode = ++received < 3 ? 500 : 200
    response.end()
  }).listen(0, "127.0.0.1")
  await once(receiver, "listening")
  jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask"] })
  const url = `http://127.0.0.1:${receiver.address().port}/`
  const automations = [{ id: "hook", folder: "vip", url, secret: "k" }]
  const emulator = await startEmulator({ fixtures: { ...fixtures, sinks: [], automations } })
  await emulator.addToFolder("vip", recording)
  await emulator.clock.advance({ until: "idle" })
  expect(received).toBe(3)
  await emulator.close()
  receiver.close()
})
