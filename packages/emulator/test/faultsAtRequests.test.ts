import { connect } from "node:net"
import { type RunningEmulator, startEmulator } from "@tapedeck/emulator"
import { describe, expect, onTestFinished, test } from "vitest"
import { asAda, helpdesk, recordingUuid } from "./support/helpdesk.ts"

const list = "/api/v2/recordings"

const started = async (): Promise<RunningEmulator> => {
  const emulator = await startEmulator({ fixtures: helpdesk })
  onTestFinished(() => emulator.close())
  return emulator
}

/** How a request ends: with its status, or with the name of an error. */
const outcomeOf = (emulator: RunningEmulator, kind: "in process" | "socket", signal?: AbortSignal) => {
  const init = { ...asAda, ...(signal !== undefined && { signal }) }
  const response = kind === "socket" ? fetch(`${emulator.url}${list}`, init) : emulator.fetch(list, init)
  return response.then(
    ({ status }) => status,
    (error: Error) => error.name
  )
}

const faulted = ({ journal }: Pick<RunningEmulator, "journal">) => journal.wait({ match: { kind: "fault" }, since: 0 })

describe.each(["in process", "socket"] as const)("a fault `timeout`, %s", (kind) => {
  test.each<[string, (emulator: RunningEmulator) => Promise<unknown>]>([
    ["a reset of the world", (emulator) => emulator.reset()],
    ["the end of the emulator", (emulator) => emulator.close()],
    ["a snapshot that is restored", async (emulator) => emulator.restore(await emulator.snapshot())]
  ])("is ended by %s", async (_, end) => {
    const emulator = await started()
    await emulator.faults.create({ match: { path: list }, respond: ["timeout"] })
    const outcome = outcomeOf(emulator, kind)
    await faulted(emulator)
    await end(emulator)
    expect(await outcome).toBe("TypeError")
  })

  test("is ended by its caller, and has the status 0 in the journal", async () => {
    const emulator = await started()
    const id = await emulator.faults.create({ match: { path: list }, respond: ["timeout"] })
    const abort = new AbortController()
    const outcome = outcomeOf(emulator, kind, abort.signal)
    await faulted(emulator)
    abort.abort()
    expect(await outcome).toBe("AbortError")
    const { entries } = await emulator.journal.read({ kind: "request" })
    expect(entries).toMatchObject([{ path: list, status: 0, rule: id }])
    expect((await emulator.fetch(list, asAda)).status).toBe(200)
  })
})

test("a fault `timeout` in a world that is removed is ended", async () => {
  const emulator = await started()
  const world = await emulator.fork()
  await world.faults.create({ match: {}, respond: ["timeout"] })
  const answer = world.fetch(list, asAda)
  answer.catch(() => {})
  await faulted(world)
  await world.remove()
  await expect(answer).rejects.toThrow("the connection was reset")
})

test.each(["reset", "timeout"] as const)("the emulator closes after a fault %s on a socket", async (outcome) => {
  const emulator = await startEmulator({ fixtures: helpdesk })
  await emulator.faults.create({ match: {}, respond: [outcome] })
  const { host, hostname, port } = new URL(emulator.url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  const closed = new Promise((resolve) => socket.on("close", resolve))
  socket.write(`GET ${list} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await faulted(emulator)
  await emulator.close()
  await closed
})

test("a fault by pattern is listed with what is left and how often it was used", async () => {
  const emulator = await started()
  const id = await emulator.faults.create({ match: { method: "GET", path: `${list}/*` }, respond: [503, "reset"] })
  expect((await emulator.fetch(`${list}/${recordingUuid}`, asAda)).status).toBe(503)
  const fault = { id, match: { method: "GET", path: `${list}/*` }, respond: ["reset"], used: 1 }
  expect(await emulator.faults.list()).toEqual([fault])
  const fork = await emulator.fork()
  expect(await fork.faults.list()).toEqual([fault])
  await fork.restore(await emulator.snapshot())
  expect(await fork.faults.list()).toEqual([fault])
  await expect(emulator.faults.create({ match: { path: "/api/**/x" }, respond: [503] })).rejects.toThrow(
    "match.path: `*` stands for a whole segment"
  )
})

test("a recording's files are put and removed by version, in process", async () => {
  const emulator = await started()
  const put = await emulator.videos.put(recordingUuid, "edited", { base64: "AAAA", content_type: "video/mp4" })
  expect(put.edited).toEqual({ content_type: "video/mp4", size_bytes: 3 })
  expect((await emulator.fetch(`${list}/${recordingUuid}/download`, asAda)).headers.get("content-type")).toBe(
    "video/mp4"
  )
  expect((await emulator.videos.remove(recordingUuid, "edited")).edited).toBeNull()
  await expect(emulator.videos.remove("nope", "edited")).rejects.toThrow("No such recording: nope")
})

test("clock.now is the world's present time, at once, of each world its own", async () => {
  const emulator = await started()
  const { now } = emulator.clock
  expect(now()).toEqual(new Date("2026-01-01T00:00:00.000Z"))
  const fork = await emulator.fork()
  await emulator.clock.advance({ by: "PT1H" })
  expect(now()).toEqual(new Date("2026-01-01T01:00:00.000Z"))
  expect(fork.clock.now()).toEqual(new Date("2026-01-01T00:00:00.000Z"))
  now().setTime(0)
  await emulator.reset()
  expect(now()).toEqual(new Date("2026-01-01T00:00:00.000Z"))
})

test("a request begins when the one before it on its connection is answered", async () => {
  const emulator = await started()
  await emulator.faults.create({ match: { path: list }, respond: ["timeout"] })
  const { hostname, port } = new URL(emulator.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`
  socket.write(`${get(list)}${get("/api/v2/users")}`)
  await faulted(emulator)
  for (let n = 0; n < 5; n++) await fetch(`${emulator.url}${list}/${recordingUuid}`, asAda)
  const { entries } = await emulator.journal.read({ kind: "request" })
  const other = { path: `${list}/${recordingUuid}` }
  expect(entries).toMatchObject([{ path: list }, ...Array(5).fill(other)])
})
