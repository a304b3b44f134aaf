import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { smallDisk } from "../../crash/SmallDisk.ts"
import { closeRawReceivers, rawReceiver } from "../../support/rawReceiver.ts"
import { inTurns, until } from "../Arena.ts"
import type { Attack } from "../Attack.ts"
import { everywhere } from "../targets.ts"
import { webm } from "./media.ts"

/** Lines 20, 25 and 26: a clock that steps, a disk that is full, a receiver that never comes to the point. */

const dayMs = 86_400_000
const shiftedClock = fileURLToPath(new URL("../../cluster/shiftedClock.ts", import.meta.url))

/** The variables with which a process' clock is so far off the machine's. */
const clockOff = (ms: number) => ({
  NODE_OPTIONS: `--import=${shiftedClock}`,
  TAPEDECK_TEST_CLOCK: String(ms)
})

const jumpForward: Attack = {
  name: "clock-jumps-forward",
  line: 20,
  targets: ["sqlite"],
  options: () => ["--keep-audit", "P30D", "--keep-logs", "P30D"],
  run: async (arena) => {
    await arena.settings("POST", "/folders", { name: "Kept" })
    const entries = async () =>
      (await arena.settings<{ audit_entries: ReadonlyArray<{ event_type: string }> }>("GET", "/audit-entries"))
        .audit_entries
    const before = (await entries()).length
    await arena.restart({ environment: clockOff(400 * dayMs) })
    // Retention looks at once after a start; the entries are still there then.
    const after = await until(entries, (left) => left.length < before, 3_000)
    arena.check(after.length >= before, `a jump forward of 400 days left ${after.length} of ${before} audit entries`)
  }
}

const jumpBack: Attack = {
  name: "clock-jumps-back",
  line: 20,
  targets: ["sqlite"],
  isAlone: true,
  options: () => ["--rate-limit", "3/PT1H"],
  run: async (arena) => {
    await arena.restart({ environment: clockOff(dayMs) })
    for (const status of [200, 200, 200, 429]) await arena.must("/api/v2/recordings", {}, [status])
    const signIn = (status: ReadonlyArray<number>) =>
      arena.must(
        "/api/settings/sign-in",
        {
          method: "POST",
          token: null,
          headers: { origin: arena.service.baseUrl },
          json: { email: "ada@acme.test", password: "wrong wrong wrong" }
        },
        status
      )
    const statuses = new Set<number>()
    await inTurns(60, 6, async () => void statuses.add((await signIn([401, 429])).status))
    arena.check(statuses.has(429), "60 tries with a wrong password are not limited")
    // Windows that start in the future are over.
    await arena.restart()
    await arena.must("/api/v2/recordings", {}, [200])
    await signIn([401])
  }
}

const fullDisk: Attack = {
  name: "full-disk",
  line: 25,
  targets: ["sqlite"],
  isAlone: true,
  run: async (arena) => {
    const disk = await smallDisk(join(arena.folder.path, "disk"), 8 * 1024 * 1024)
    try {
      if (disk.needsRestart) return // This kernel lets us make no file system.
      await arena.restart({ data: join(disk.path, "data"), wrap: disk.wrap })
      const headers = { "content-type": "video/webm" }
      const uuid = await arena.recording()
      await arena.made(`/api/settings/recordings/${uuid}/video`, { method: "PUT", headers, body: webm(100_000) })
      // Smaller and smaller, until there is no room for an audit entry either.
      for (const length of [60_000, 6_000, 600, 0]) {
        let last = 201
        while (last === 201) {
          const json = { title: "text", description: "x".repeat(length) }
          last = (await arena.must("/api/settings/recordings", { method: "POST", json }, [201, 507], /\S/)).status
        }
      }
      const ready = await arena.call("/readyz", { token: null })
      arena.check(ready.status === 200 && ready.text.includes("storage_full"), `/readyz: ${ready.status} ${ready.text}`)
      for (const path of ["/api/v2/recordings", `/api/v2/recordings/${uuid}`, "/api/settings/recordings"]) {
        await arena.must(path, {}, [200])
      }
      for (const path of [`/r/${uuid}`, `/r/${uuid}/video`]) await arena.must(path, { token: null }, [200])
      // A download by the API writes an audit entry: the last page takes some more of them.
      for (let status = 200; status === 200; ) {
        status = (await arena.must(`/api/v2/recordings/${uuid}/download`, {}, [200, 507], /\S/)).status
      }
      const json = { recording: { title: "Changed" } }
      await arena.must(`/api/v2/recordings/${uuid}`, { method: "PATCH", json }, [507], /\S/)
      await disk.free()
      const title = () => arena.call(`/api/v2/recordings/${uuid}`, { method: "PATCH", json })
      const again = await until(title, ({ status }) => status === 200, 20_000)
      arena.check(again.status === 200, `with room again: ${again.status} ${again.text}`)
    } finally {
      await arena.restart({ data: join(arena.folder.path, "data") })
      await disk.remove()
    }
  }
}

const endlessInterim: Attack = {
  name: "endless-1xx",
  line: 26,
  targets: everywhere,
  run: async (arena) => {
    const line = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
    let sent = 0
    const { url } = await rawReceiver((socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(line.repeat(100))) sent += 100
      }
      socket.on("drain", more)
      socket.on("error", () => {})
      more()
    }, arena.service.receiverScheme)
    const { id: folder_id } = await arena.settings<{ id: string }>("POST", "/folders", { name: "Interim" })
    const { id } = await arena.settings<{ id: string }>("POST", "/automations", { folder_id, url })
    const report = await arena.settings<{ result: string; delivery: { attempts: ReadonlyArray<{ outcome: string }> } }>(
      "POST",
      `/automations/${id}/test`
    )
    const outcome = report.delivery.attempts[0]?.outcome
    arena.check(
      report.result === "failed" && outcome !== "timeout",
      `it ended as ${report.result}, ${outcome}, after ${sent} responses`
    )
    await closeRawReceivers()
  }
}

export const machine: ReadonlyArray<Attack> = [jumpForward, jumpBack, fullDisk, endlessInterim]
