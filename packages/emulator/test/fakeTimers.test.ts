import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { startEmulator } from "@tapedeck/emulator"
import { afterEach, expect, onTestFinished, test, vi } from "vitest"
import { asAda, helpdesk, recordingUuid } from "./support/helpdesk.ts"

// Every timer and clock that vitest can fake, but for the two that promises and streams need.
const toFake = [
  "setTimeout",
  "clearTimeout",
  "setImmediate",
  "clearImmediate",
  "setInterval",
  "clearInterval",
  "Date",
  "performance",
  "hrtime"
] as const

afterEach(() => void vi.useRealTimers())

const started = async (options: Parameters<typeof startEmulator>[0] = { fixtures: helpdesk }) => {
  const emulator = await startEmulator(options)
  onTestFinished(() => emulator.close())
  return emulator
}

test.each(["before", "after"])("fake timers that are installed %s the emulator starts do not stop it", async (when) => {
  if (when === "before") vi.useFakeTimers({ toFake: [...toFake] })
  const emulator = await started()
  if (when === "after") vi.useFakeTimers({ toFake: [...toFake] })
  const patched = await emulator.fetch(`/api/v2/recordings/${recordingUuid}`, {
    method: "PATCH",
    headers: { ...asAda.headers, "content-type": "application/json" },
    body: JSON.stringify({ recording: { title: "New" } })
  })
  expect(patched.status).toBe(200)
  // What is loaded when it is first asked for, and many requests at a time.
  const folders = await Promise.all(Array.from({ length: 50 }, () => emulator.fetch("/api/settings/folders", asAda)))
  expect(new Set(folders.map(({ status }) => status))).toEqual(new Set([200]))
  await emulator.clock.advance({ by: "P1D" })
  const missed = await emulator.journal.wait({ match: { kind: "nothing" }, timeout_ms: 10 }).catch((error) => error)
  expect(missed).toBeInstanceOf(Error)
  const fork = await emulator.fork()
  await fork.reset()
  expect((await fork.fetch("/api/v2/recordings", asAda)).status).toBe(200)
})

test("fake timers do not stop successive calls to real receivers", async () => {
  const received: Array<string> = []
  const receiver = createServer((request, response) => {
    received.push(String(request.headers["webhook-id"]))
    response.statusCode = received.length < 3 ? 500 : 200
    response.end("answer")
  })
  receiver.listen(0, "127.0.0.1")
  await once(receiver, "listening")
  onTestFinished(() => void receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  vi.useFakeTimers({ toFake: [...toFake] })
  const emulator = await started({
    fixtures: {
      ...helpdesk,
      folders: [{ id: "vip", name: "VIP" }],
      automations: [{ id: "hook", folder: "vip", url, secret: "k" }]
    }
  })
  await emulator.addToFolder("vip", recordingUuid)
  await emulator.clock.advance({ until: "idle" })
  expect(received).toHaveLength(3)
  expect(new Set(received).size).toBe(1)
})

test("a running clock follows real time", async () => {
  vi.useFakeTimers({ toFake: [...toFake] })
  const emulator = await started()
  const { now } = await emulator.clock.get()
  await emulator.clock.set({ mode: "running", rate: 1_000_000 })
  // It would go on for ever where nothing carried it.
  while ((await emulator.clock.get()).now === now);
})
