import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { startEmulator } from "@tapedeck/emulator"
import { helpdesk, recordingUuid } from "../helpdesk.ts"

// Prints what keeps this process alive while an emulator starts, works and closes; then nothing may, and it ends.

const handles = async () => {
  // What was closed is gone a few turns of the event loop later.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  return process
    .getActiveResourcesInfo()
    .filter((name) => /Server|Socket|Timeout|Wrap$/.test(name) && name !== "PipeWrap")
}

const ended = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    (error: Error) => error.message
  )

const emulator = await startEmulator({ fixtures: helpdesk })
await emulator.fetch("/api/v2/recordings")
await emulator.addToFolder("vip", recordingUuid)
await emulator.clock.advance({ until: "idle" })
const withoutUrl = await handles()

const status = (await fetch(emulator.control)).status
const withUrl = await handles()

// Everything that can be active at once: a running clock, a wait, a delivery to a receiver that never answers.
const silent = createServer(() => {}).listen(0, "127.0.0.1")
await new Promise((resolve) => silent.once("listening", resolve))
const world = await emulator.createWorld({
  config: { real_timeout_ms: 60_000 },
  fixtures: {
    ...helpdesk,
    automations: [{ folder: "vip", url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/hook` }]
  }
})
const asked = new Promise((resolve) => silent.once("request", resolve))
await emulator.clock.set({ mode: "running", rate: 2 })
const wait = ended(emulator.journal.wait({ match: { kind: "attempt", id: "never" }, timeout_ms: 60_000 }))
await world.addToFolder("vip", recordingUuid)
const move = ended(world.clock.advance({ next: true }))
await asked

await emulator.close()
await emulator.close()
const closed = {
  wait: await wait,
  move: await move,
  fetch: await ended(emulator.fetch("/api/v2/recordings")),
  url: await ended(new Promise((resolve) => resolve(emulator.url)))
}
silent.close()
silent.closeAllConnections()

process.stdout.write(JSON.stringify({ withoutUrl, status, withUrl, closed, afterClose: await handles() }))
