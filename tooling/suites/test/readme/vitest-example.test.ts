import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { startEmulator } from "@tapedeck/emulator"
import { expect, test } from "vitest"

test("a webhook is retried for 14 h 36 min", async () => {
  const received: Array<string> = []
  const receiver = createServer((request, response) => {
    received.push(String(request.headers["x-tapedeck-signature"]))
    response.writeHead(500).end()
  }).listen(0)
  const { port } = receiver.address() as AddressInfo

  const recording = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"
  const emulator = await startEmulator({
    fixtures: {
      users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "secret-token" }],
      recordings: [{ uuid: recording, title: "Checkout fails" }],
      folders: [{ id: "vip", name: "VIP" }],
      automations: [{ folder: "vip", url: `http://127.0.0.1:${port}/hook`, secret: "k" }]
    }
  })

  const answer = await emulator.fetch(`/api/v2/recordings/${recording}`, {
    headers: { authorization: "Bearer secret-token" }
  })
  expect(await answer.json()).toMatchObject({ title: "Checkout fails" })

  await emulator.addToFolder("vip", recording)
  const { fired } = await emulator.clock.advance({ by: "PT14H36M" })
  expect(fired.map((attempt) => Number(attempt.elapsed_ms) / 60_000)).toEqual([0, 1, 6, 36, 156, 876])
  expect(received).toHaveLength(6)

  await emulator.close()
  receiver.close()
})
