import { writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { first } from "./support/certificates.ts"
import { listening, said, temporaryFolder } from "./support/command.ts"
import { asAdmin, recording, startedWith } from "./support/people.ts"

/** A receiver that answers `/at-once`, and leaves all others waiting until `answerOne`. */
const slowReceiver = async () => {
  const waiting: Array<ServerResponse> = []
  const seen = { all: 0, most: 0 }
  let arrived = () => {}
  const server = createServer(first, (request, response) => {
    request.resume()
    if (request.url === "/at-once") return void response.end()
    seen.most = Math.max(seen.most, waiting.push(response))
    seen.all++
    arrived()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    /** Resolves when so many have come in all. */
    come: (count: number) =>
      new Promise<void>((resolve) => {
        arrived = () => void (seen.all >= count && resolve())
        arrived()
      }),
    answerOne: () => void waiting.shift()?.end()
  }
}

test("TAPEDECK_CONCURRENCY_PER_HOST limits the attempts to a host of all webhooks together, and other hosts do not wait", async () => {
  const receiver = await slowReceiver()
  const ca = join(temporaryFolder(), "ca.pem")
  writeFileSync(ca, first.cert)
  const automations = [
    ...[1, 2, 3, 4, 5, 6].map((n) => ({ id: `a${n}`, folder: "f1", url: `https://localhost:${receiver.port}/${n}` })),
    { id: "other", folder: "f1", url: `https://127.0.0.1:${receiver.port}/at-once` }
  ]
  const server = await listening(startedWith({ folders: [{ id: "f1", name: "VIP" }], automations }), {
    TAPEDECK_CONCURRENCY_PER_HOST: "2",
    TAPEDECK_ALLOW_RECEIVERS: "127.0.0.1,::1",
    TAPEDECK_CA_FILE: ca
  })
  const moved = await fetch(`${server.view.base_url}/api/settings/recordings/${recording}/folder`, {
    method: "PUT",
    headers: { ...asAdmin, "content-type": "application/json" },
    body: JSON.stringify({ folder_id: "f1" })
  })
  expect(moved.status).toBe(200)

  // The other host's delivery completes while two attempts, the maximum, are in flight at this host.
  expect(await said(server, '"automation_id":"other"')).toContain('"outcome":"success"')
  await receiver.come(2)
  expect(receiver.seen).toEqual({ all: 2, most: 2 })
  for (const next of [3, 4, 5, 6]) {
    receiver.answerOne()
    await receiver.come(next)
  }
  expect(receiver.seen).toEqual({ all: 6, most: 2 })
})
