import { readFileSync } from "node:fs"
import { type Arena, inTurns, until } from "../Arena.ts"
import type { Attack } from "../Attack.ts"
import { everywhere } from "../targets.ts"
import { longTranscript, settledLog } from "./media.ts"

/** Line 19: what is cheap to ask for and was dear to answer. */

const lists: Attack = {
  name: "lists-of-long-transcripts",
  line: 19,
  targets: everywhere,
  run: async (arena) => {
    const count = arena.of(34, 4)
    for (let n = 0; n < count; n += 1) await longTranscript(arena, arena.of(15, 3))
    for (const path of ["/api/v2/recordings", "/api/v1/recordings", "/api/settings/recordings"]) {
      await inTurns(arena.of(40, 6), 10, () => arena.must(path, {}, [200]))
    }
  }
}

const views: Attack = {
  name: "public-views",
  line: 19,
  targets: everywhere,
  run: async (arena) => {
    const uuid = await longTranscript(arena, arena.of(14, 3))
    const seen = async () =>
      (await arena.made<{ metadata: { impressions_count: number } }>(`/api/v2/recordings/${uuid}`, {})).metadata
        .impressions_count
    const [before, written] = [await seen(), writtenBytes(arena)]
    const count = arena.of(200, 10)
    await inTurns(count, 4, () => arena.must(`/r/${uuid}`, { token: null }, [200]))
    const after = await until(seen, (views) => views === before + count, 5_000)
    arena.check(after === before + count, `${count} views show as ${after - before}`)
    const mb = (writtenBytes(arena) - written) / 1024 / 1024
    arena.check(mb < 20, `${count} views wrote ${mb.toFixed(1)} MiB`)
  }
}

/** What the process has caused to be written to disk. */
const writtenBytes = ({ service }: Arena): number => {
  try {
    return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${service.pid}/io`, "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const recording = "00000000-0000-4000-8000-000000000001"
const errors = (bytes: number) => Array.from({ length: Math.floor(bytes / 1_000) }, (_, n) => `${n} ${"e".repeat(990)}`)

const renderedPayload: Attack = {
  name: "rendered-payload",
  line: 19,
  targets: everywhere,
  document: () => ({
    folders: [{ id: "f1", name: "VIP" }],
    recordings: [{ uuid: recording, title: "🎥".repeat(255), console_errors: errors(200_000) }]
  }),
  run: async (arena) => {
    const real = await arena.receiver(() => ({ status: 200 }))
    // The arrays share 256 KiB of the body, however often the template names them; the titles do not.
    const variables = Array.from({ length: 1_100 }, () => ["{{recording.console_errors}}", "{{recording.title}}"])
    const payload = `[${variables.flat().join(",")}]`
    const json = { folder_id: "f1", url: real.url, payload }
    const { id } = await arena.settings<{ id: string }>("POST", "/automations", json)
    await arena.settings("PUT", `/recordings/${recording}/folder`, { folder_id: "f1" })
    const log = await settledLog(arena, id)
    const [delivery] = log
    arena.check(
      delivery?.state === "permanently_failed" && delivery.attempts.length === 0,
      `a rendered body beyond 1 MiB is ${delivery?.state}, with ${delivery?.attempts.length} attempts`
    )
    const explained = await arena.call(`/api/settings/deliveries/${delivery?.id}/explain`)
    arena.check(
      /payload_too_large/.test(JSON.stringify(log) + explained.text),
      `payload_too_large is named nowhere: ${explained.text}`
    )
    arena.check(real.received.length === 0, "it was sent")
    const folder = await arena.settings<{ folder_id: string }>("GET", `/recordings/${recording}`)
    arena.check(folder.folder_id === "f1", "the folder change did not stand")
  }
}

const executionLog: Attack = {
  name: "execution-log-page",
  line: 19,
  targets: everywhere,
  document: () => ({
    folders: [{ id: "f1", name: "VIP" }],
    recordings: [{ uuid: recording, title: "Broken", console_errors: errors(250_000) }]
  }),
  run: async (arena) => {
    const real = await arena.receiver(() => ({ status: 500, body: "b".repeat(65_536) }))
    const { id } = await arena.settings<{ id: string }>("POST", "/automations", { folder_id: "f1", url: real.url })
    await arena.settings("PUT", `/recordings/${recording}/folder`, { folder_id: "f1" })
    const [first] = await settledLog(arena, id)
    const count = arena.of(99, 9)
    const redeliver = `/automations/${id}/deliveries/${first?.id}/redeliver`
    for (let n = 0; n < count; n += 1) await arena.settings("POST", redeliver)
    await settledLog(arena, id)
    const path = `/api/settings/automations/${id}/deliveries`
    const pages = arena.of(20, 4)
    let longest = 0
    await inTurns(pages, 4, async () => {
      const { text } = await until(
        () => arena.must(path, {}, [200, 503]),
        ({ headers, status }) => status === 200 || headers["retry-after"] === undefined
      )
      longest = Math.max(longest, text.length)
    })
    // A request's body of 64 KiB, a response's of as much, and what is said about them.
    const most = (count + 1) * (2 * 65_536 * 1.2 + 4_096)
    arena.check(longest <= most, `a page of ${count + 1} deliveries has ${longest} characters; ${most} at most`)
    const one = await arena.call(`${path}/${first?.id}`)
    arena.check(one.text.includes("249 eee") || one.text.length > 200_000, "a single delivery has not its whole body")
  }
}

const automationsOf = (size: "short" | "full") => (size === "full" ? 98 : 50)

const folderDeletion: Attack = {
  name: "folder-with-waiting-deliveries",
  line: 19,
  targets: everywhere,
  document: (size) => ({
    folders: [{ id: "f1", name: "Busy" }],
    recordings: Array.from({ length: size === "full" ? 1_000 : 20 }, (_, n) => ({
      uuid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
      title: `Recording ${n}`
    })),
    // No policy lets it through: each is blocked at once, and waits for its retry.
    automations: Array.from({ length: automationsOf(size) }, (_, n) => ({
      id: `a${n}`,
      folder: "f1",
      url: "https://10.1.2.3/hook"
    }))
  }),
  run: async (arena) => {
    await inTurns(arena.of(1_000, 20), 8, (n) => {
      const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
      return arena.settings("PUT", `/recordings/${uuid}/folder`, { folder_id: "f1" })
    })
    const { deliveries } = await arena.settings<{ deliveries: ReadonlyArray<{ id: string }> }>("GET", "/deliveries")
    const one = await arena.must(`/api/settings/deliveries/${deliveries[0]?.id}`, {}, [200])
    arena.stores(one.text.length * arena.of(1_000, 20) * automationsOf(arena.size))
    await arena.must("/api/settings/folders/f1", { method: "DELETE" }, [204])
    await arena.must("/api/settings/folders/f1", {}, [404])
    await arena.must("/api/settings/automations/a0", {}, [404])
  }
}

export const load: ReadonlyArray<Attack> = [lists, views, renderedPayload, executionLog, folderDeletion]
