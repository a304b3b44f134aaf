import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { startEmulator } from "@tapedeck/emulator"
import { describe, expect, onTestFinished, test } from "vitest"
import { type ConnectedWorld, connect, EmulatorError } from "../src/connect.ts"
import type { RunningWorld } from "../src/index.ts"
import { asAda, helpdesk, recordingUuid } from "./support/helpdesk.ts"

const started = async () => {
  const emulator = await startEmulator({ fixtures: helpdesk })
  onTestFinished(() => emulator.close())
  return emulator
}

type AnyWorld = RunningWorld | ConnectedWorld

/** What each operation answers, one after another, in a world of the helpdesk. */
const played = async (world: AnyWorld) => {
  const answers: Array<unknown> = []
  const note = async (answer: unknown) => answers.push(await answer)
  await note(world.clock.get())
  await note(world.sinks.create({ id: "own", respond: [503, 200] }))
  await note(
    world.fixtures({ folders: [{ id: "f9", name: "Nine" }], automations: [{ folder: "f9", url: "sink:own" }] })
  )
  await note(world.addToFolder("f9", recordingUuid))
  await note(world.clock.advance({ until: "idle" }))
  await note(world.deliveries({ state: "delivered" }))
  await note(world.sinks.get("own"))
  await note(world.sinks.respond("own", [204]))
  const fault = await world.faults.create({ match: { path: "/api/v2/users" }, respond: [503] })
  await note(world.faults.list())
  await note((await world.fetch("/api/v2/users", asAda)).status)
  await note((await world.fetch(`${world.url}/api/v2/users`, asAda)).status)
  await note(world.faults.remove(fault).catch((error: unknown) => (error as EmulatorError).status))
  await note(world.faults.clear())
  const file = { size: 4, content_type: "video/webm" }
  await note(world.videos.put(recordingUuid, "edited", file))
  await note(world.videos.remove(recordingUuid, "edited"))
  await note((await world.journal.read({ kind: "request" })).entries.length)
  await note((await world.journal.wait({ match: { kind: "request", status: 503 }, since: 0, timeout_ms: 0 })).length)
  await note(world.mails())
  await note(world.account({ name: "Renamed" }))
  await note((await world.signIn("ada@acme.test")).length)
  await note(world.clock.set({ mode: "stopped" }))
  const fork = await world.fork({ id: `${world.id}-fork` })
  await note([fork.url.endsWith("-fork"), Object.keys(fork.tokens)])
  await note((await fork.clock.get()).now)
  await fork.remove()
  const snapshot = await world.snapshot()
  await note((await world.reset()).now)
  await note((await world.restore(snapshot)).now)
  await note((await world.clock.now()).toISOString())
  return answers
}

const withoutAddresses = (answers: unknown, { id, url }: AnyWorld) =>
  JSON.parse(JSON.stringify(answers).replaceAll(url, "URL").replaceAll(id, "ID")) as unknown

describe("a world that is connected over HTTP", () => {
  test("answers each operation as a world of this process", async () => {
    const emulator = await started()
    const inside = await emulator.createWorld({ id: "inside", fixtures: helpdesk })
    const outside = await (await connect(emulator.url)).createWorld({ id: "outside", fixtures: helpdesk })
    expect(outside.tokens).toEqual(inside.tokens)
    expect(withoutAddresses(await played(outside), outside)).toEqual(withoutAddresses(await played(inside), inside))
  })

  test("is the one at the URL", async () => {
    const emulator = await started()
    const world = await emulator.createWorld({ id: "mine" })
    const found = await connect(`${world.url}/`)
    expect([found.id, found.url, found.control]).toEqual(["mine", world.url, world.control])
    expect((await connect(emulator.url)).id).toBe("default")
    await found.remove()
    await expect(connect(world.url)).rejects.toThrow(EmulatorError)
  })

  test("has the present time, also for a receiver that is called while a move is in progress", async () => {
    const emulator = await started()
    const world = await connect(emulator.url)
    const times: Array<unknown> = []
    const receiver = createServer(async (request, response) => {
      times.push([request.headers["webhook-timestamp"], (await world.clock.now()).getTime() / 1_000])
      response.writeHead(times.length < 2 ? 500 : 200).end()
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void receiver.close())
    await once(receiver, "listening")
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    await world.fixtures({ automations: [{ folder: "vip", url }] })
    await world.addToFolder("vip", recordingUuid)
    await world.clock.advance({ until: "idle" })
    const start = Date.parse("2026-01-01T00:00:00Z") / 1_000
    expect(times).toEqual([
      [String(start), start],
      [String(start + 60), start + 60]
    ])
    await emulator.clock.advance({ by: "PT1H" })
    expect((await world.clock.now()).toISOString()).toBe("2026-01-01T01:01:00.000Z")
  })

  test("is refused with all problems, as in this process", async () => {
    const emulator = await started()
    const connection = await connect(emulator.url)
    const invalid = { fixtures: { users: [{ email: "x" }] }, seed: -1 } as never
    const refusalOf = (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        ({ message, problems, status }: EmulatorError) => ({ message, problems, status })
      )
    const refused = await refusalOf(connection.createWorld(invalid))
    expect(refused).toEqual(await refusalOf(emulator.createWorld(invalid)))
    expect(refused).toMatchObject({ status: 400 })
  })

  test.each([
    ["nonsense", "nonsense: not the URL of an emulator, such as http://127.0.0.1:4010"],
    ["file:///tmp", "file:///tmp: not the URL of an emulator, such as http://127.0.0.1:4010"]
  ])("at %s fails with the reason", async (url, message) => {
    await expect(connect(url)).rejects.toThrow(message)
  })

  test("at a port where nothing listens, or another server does, fails with the reason", async () => {
    const other = createServer((_, response) => void response.end("<html>")).listen(0, "127.0.0.1")
    await once(other, "listening")
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await expect(connect(url)).rejects.toThrow(`no emulator answers at ${url}`)
    await new Promise((closed) => other.close(closed))
    await expect(connect(url)).rejects.toThrow(`no emulator answers at ${url}`)
  })

  test("behind a proxy that adds a path keeps the path, for the worlds that it creates too", async () => {
    const emulator = await started()
    const proxy = createServer(async ({ headers, method = "GET", url = "" }, response) => {
      const target = emulator.url + url.replace("/behind", "")
      const answer = await fetch(target, { method, headers: { authorization: headers.authorization ?? "" } })
      response.writeHead(url.startsWith("/behind/") ? answer.status : 404).end(await answer.text())
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void proxy.close())
    await once(proxy, "listening")
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/behind`
    const world = await emulator.createWorld({ id: "mine" })
    const found = await connect(`${url}/worlds/${world.id}`)
    expect([found.url, (await found.clock.get()).now]).toEqual([`${url}/worlds/mine`, "2026-01-01T00:00:00.000Z"])
    expect((await connect(url)).url).toBe(url)
  })
})
