import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { EmulatorError, startEmulator } from "@tapedeck/emulator"
import { describe, expect, onTestFinished, test } from "vitest"
import type { RunningWorld, WorldOptions } from "../src/index.ts"
import { asAda, helpdesk, recordingUuid } from "./support/helpdesk.ts"

const started = async (options: WorldOptions = { fixtures: helpdesk }) => {
  const emulator = await startEmulator(options)
  onTestFinished(() => emulator.close())
  return emulator
}

const recordingPath = `/api/v2/recordings/${recordingUuid}`

const titleIn = async (world: RunningWorld) => {
  const recording = (await (await world.fetch(recordingPath, asAda)).json()) as { readonly title: string }
  return recording.title
}

const rename = (world: RunningWorld, title: string) =>
  world.fetch(recordingPath, {
    method: "PATCH",
    headers: { ...asAda.headers, "content-type": "application/json" },
    body: JSON.stringify({ recording: { title } })
  })

const nowIn = async (world: RunningWorld) => (await world.clock.get()).now

const refusal = async (call: Promise<unknown>): Promise<EmulatorError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown
  )
  expect(error).toBeInstanceOf(EmulatorError)
  return error as EmulatorError
}

describe("a process with an emulator", () => {
  test("opens no socket before its url is read, and ends after close, also with work in flight", async () => {
    const script = join(import.meta.dirname, "support/processes/lifecycle.ts")
    const { stderr, stdout } = await promisify(execFile)(process.execPath, ["--conditions=source", script])
    const { closed, withUrl, ...rest } = JSON.parse(stdout)
    expect(rest).toEqual({ withoutUrl: [], status: 200, afterClose: [] })
    // TCPSocketWrap from Node 24.21, TCPServerWrap before.
    expect(withUrl).toContainEqual(expect.stringMatching(/^TCP(?:Socket|Server)Wrap$/))
    expect(closed).toEqual({
      wait: "the emulator is closed",
      // The receiver's connection was closed under it: the attempt ended, and with it the move.
      move: "answered",
      fetch: "fetch failed: the emulator is closed",
      url: "the emulator is closed"
    })
    expect(stderr).toBe("")
  })
})

describe("fetch", () => {
  test("accepts paths, URLs of any origin, and requests with or without init", async () => {
    const emulator = await started()
    for (const input of [
      recordingPath,
      `https://api.vendor.test${recordingPath}`,
      new URL(recordingPath, "http://localhost:1234"),
      new Request(`http://localhost${recordingPath}`)
    ]) {
      expect((await emulator.fetch(input, asAda)).status).toBe(200)
    }
    const request = new Request(`http://localhost${recordingPath}`, {
      method: "PATCH",
      headers: { ...asAda.headers, "content-type": "application/json" },
      body: '{"recording":{"title":"From a request"}}'
    })
    expect((await emulator.fetch(request)).status).toBe(200)
    expect(await titleIn(emulator)).toBe("From a request")
    const head = await emulator.fetch(new Request(`http://localhost${recordingPath}`, asAda), { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([200, ""])
  })

  test("returns the same bytes as the socket", async () => {
    const emulator = await started()
    const inProcess = await emulator.fetch(recordingPath, asAda)
    const overHttp = await fetch(`${emulator.url}${recordingPath}`, asAda)
    expect(await overHttp.text()).toBe(await inProcess.text())
    expect(overHttp.headers.get("date")).toBe(inProcess.headers.get("date"))
  })

  test("rejects for a signal that is aborted before or during the request", async () => {
    const emulator = await started()
    const before = emulator.fetch(recordingPath, { ...asAda, signal: AbortSignal.abort() })
    await expect(before).rejects.toMatchObject({ name: "AbortError" })
    const wait = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"match":{"kind":"fault"}}'
    }
    for (const send of [
      (signal: AbortSignal) => emulator.fetch("/_emulator/journal/wait", { ...wait, signal }),
      (signal: AbortSignal) =>
        emulator.fetch(new Request("http://localhost/_emulator/journal/wait", { ...wait, signal }))
    ]) {
      const controller = new AbortController()
      const waiting = send(controller.signal)
      controller.abort(new Error("no longer wanted"))
      await expect(waiting).rejects.toThrow("no longer wanted")
    }
  })

  test("rejects while a fault resets the connection", async () => {
    const emulator = await started()
    await emulator.faults.create({ match: { path: recordingPath }, respond: ["reset", 503] })
    await expect(emulator.fetch(recordingPath, asAda)).rejects.toThrow(TypeError)
    expect((await emulator.fetch(recordingPath, asAda)).status).toBe(503)
    expect((await emulator.fetch(recordingPath, asAda)).status).toBe(200)
  })
})

describe("url", () => {
  test("is the same each time, with every world below it", async () => {
    const emulator = await started()
    const world = await emulator.createWorld({ id: "beside", fixtures: helpdesk })
    const { url } = world
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/worlds\/beside$/)
    expect([world.url, world.control]).toEqual([url, `${url}/_emulator`])
    expect(url).toBe(`${emulator.url}/worlds/beside`)
    await rename(world, "Renamed")
    expect(await (await fetch(`${url}${recordingPath}`, asAda)).json()).toMatchObject({ title: "Renamed" })
    expect(await titleIn(emulator)).toBe("Checkout fails")
    expect((await emulator.world()).base_url).toBe(emulator.url)
  })
})

describe("several emulators in one process", () => {
  test("share no state: data, clock, worlds, sockets, close", async () => {
    const [one, other] = [await started(), await started()]
    await rename(one, "Renamed")
    await one.clock.advance({ by: "PT1H" })
    await one.sinks.create({ id: "only-here", respond: [200] })
    expect((await one.createWorld()).id).toBe("w1")
    expect((await other.createWorld()).id).toBe("w1")
    expect([await titleIn(other), await nowIn(other)]).toEqual(["Checkout fails", "2026-01-01T00:00:00.000Z"])
    expect((await refusal(other.sinks.get("only-here"))).status).toBe(404)
    expect(one.url).not.toBe(other.url)
    const { url } = one
    await one.close()
    await expect(fetch(url)).rejects.toThrow("fetch failed")
    expect((await fetch(other.control)).status).toBe(200)
  })

  test("give the same answers if they start with the same options", async () => {
    const [one, other] = [await started(), await started()]
    for (const emulator of [one, other]) {
      await emulator.addToFolder("vip", recordingUuid)
      await emulator.clock.advance({ until: "idle" })
    }
    expect(await one.deliveries()).toEqual(await other.deliveries())
    expect(await one.snapshot()).toEqual(await other.snapshot())
  })
})

describe("errors", () => {
  test("name all paths in options and fixtures at once, and nothing has started", async () => {
    const broken = {
      now: "tomorrow",
      seed: 1.5,
      config: { page_size: 0, colour: "red" },
      fixtures: { folders: [{ name: "VIP" }, {}], recordings: [{ user: "unknown@acme.test" }] }
    }
    // @ts-expect-error: unknown and missing keys
    const error = await refusal(startEmulator(broken))
    expect(error.status).toBe(400)
    expect(error.problems.map(({ path }) => path).sort()).toEqual([
      "config.colour",
      "config.page_size",
      "folders[1].name",
      "now",
      "recordings[0].user",
      "seed"
    ])
    expect(error.message).toContain("recordings[0].user: ")
  })

  test("of the control plane have the status of HTTP", async () => {
    const emulator = await started()
    const problems = async (call: Promise<unknown>) => {
      const { problems, status } = await refusal(call)
      return { status, paths: problems.map(({ path }) => path) }
    }
    expect(await problems(emulator.clock.advance({ by: "later" }))).toEqual({ status: 400, paths: ["by"] })
    expect(await problems(emulator.sinks.create({ id: "x", respond: [200, 99] }))).toEqual({
      status: 400,
      paths: ["respond[1]"]
    })
    expect(await problems(emulator.sinks.create({ id: "crm", respond: [200] }))).toEqual({ status: 409, paths: [] })
    expect(await problems(emulator.fixtures({ folders: [{ id: "vip", name: "Taken" }] }))).toMatchObject({
      status: 400
    })
    expect(await problems(emulator.addToFolder("none", recordingUuid))).toEqual({ status: 404, paths: [] })
    expect(await problems(emulator.signIn("unknown@acme.test"))).toEqual({ status: 404, paths: [] })
    expect(await problems(emulator.remove())).toEqual({ status: 409, paths: [] })
    expect(await problems(emulator.createWorld({ id: "not an id" }))).toEqual({ status: 400, paths: ["id"] })
  })

  test("of a wait that times out have the nearest entries", async () => {
    const emulator = await started()
    await emulator.fetch(recordingPath)
    const { message, status } = await refusal(
      emulator.journal.wait({ match: { kind: "request", status: 200 }, since: 0, timeout_ms: 0 })
    )
    expect(status).toBe(408)
    expect(message).toContain('0 of 1 entries matched within 0 ms; 1 with kind "request", none with status 200: 401')
    expect(message).toContain("nearest:\n  {")
  })
})

describe("worlds", () => {
  test("can have their own options, are named w1, w2, …, and end when they are removed", async () => {
    const emulator = await started()
    const first = await emulator.createWorld({ now: "2030-01-01T00:00:00.000Z", fixtures: helpdesk })
    const second = await emulator.createWorld()
    expect([first.id, second.id]).toEqual(["w1", "w2"])
    expect([first.tokens, second.tokens]).toEqual([{ "ada@acme.test": "ada-token" }, {}])
    expect([await nowIn(first), await nowIn(second)]).toEqual(["2030-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"])
    await rename(first, "Renamed")
    await first.clock.advance({ by: 1_000 })
    expect([await titleIn(emulator), await nowIn(emulator)]).toEqual(["Checkout fails", "2026-01-01T00:00:00.000Z"])
    await first.remove()
    expect((await refusal(first.world())).status).toBe(404)
    expect((await second.world()).world).toBe("w2")
  })

  test("can be forked in the present state, pending work included, and are then independent", async () => {
    const emulator = await started()
    await emulator.sinks.respond("crm", [500])
    await emulator.addToFolder("vip", recordingUuid)
    await emulator.clock.advance({ by: "PT2M" })
    const fork = await emulator.fork({ id: "fork" })
    expect(await fork.deliveries()).toEqual(await emulator.deliveries())
    expect(await fork.clock.get()).toEqual(await emulator.clock.get())
    await fork.sinks.respond("crm", [200])
    await fork.clock.advance({ until: "idle" })
    await rename(fork, "Renamed")
    const states = async () => [(await fork.deliveries())[0]?.state, (await emulator.deliveries())[0]?.state]
    expect(await states()).toEqual(["delivered", "waiting"])
    expect(await titleIn(emulator)).toBe("Checkout fails")
    expect((await emulator.sinks.get("crm")).requests).toHaveLength(2)
    await emulator.clock.advance({ until: "idle" })
    expect(await states()).toEqual(["delivered", "permanently_failed"])
    // A fork of a fork is one too; a reset goes to the start of the world that was forked.
    const forkOfFork = await fork.fork()
    await forkOfFork.reset()
    expect([await nowIn(forkOfFork), await titleIn(forkOfFork)]).toEqual(["2026-01-01T00:00:00.000Z", "Checkout fails"])
    expect(await titleIn(fork)).toBe("Renamed")
  })

  test("can be restored from a snapshot, in another emulator too, as text", async () => {
    const [one, other] = [await started(), await started({ seed: 7 })]
    await one.sinks.respond("crm", [500])
    await one.addToFolder("vip", recordingUuid)
    await one.clock.advance({ by: "PT2M" })
    const text = JSON.stringify(await one.snapshot())
    const later = one.clock.advance({ until: "idle" })
    await other.restore(JSON.parse(text))
    expect(JSON.stringify(await other.snapshot())).toBe(text)
    expect(await other.clock.advance({ until: "idle" })).toEqual(await later)
    expect(await other.deliveries()).toEqual(await one.deliveries())
    const { problems } = await refusal(other.restore({ ...JSON.parse(text), seed: "x", format: 0 }))
    expect(problems.map(({ path }) => path).sort()).toEqual(["format", "seed"])
    expect((await other.deliveries())[0]?.state).toBe("permanently_failed")
  })

  test("return to their start document on reset, which affects no other world", async () => {
    const emulator = await started()
    const world = await emulator.createWorld({ fixtures: helpdesk })
    for (const each of [emulator, world]) {
      await rename(each, "Renamed")
      await each.sinks.create({ id: "added", respond: [200] })
      await each.faults.create({ match: {}, respond: [500] })
      await each.clock.advance({ by: "P1D" })
    }
    const view = await world.reset()
    expect(view).toMatchObject({ now: "2026-01-01T00:00:00.000Z", pending_count: 0 })
    expect(await titleIn(world)).toBe("Checkout fails")
    expect((await refusal(world.sinks.get("added"))).status).toBe(404)
    expect((await world.journal.read()).entries).toMatchObject([{ seq: 1, kind: "request", status: 200 }])
    expect([(await emulator.fetch(recordingPath, asAda)).status, await titleIn(emulator)]).toEqual([500, "Renamed"])
    expect(await nowIn(emulator)).toBe("2026-01-02T00:00:00.000Z")
  })
})

test("pages of the configured origins may call a world, and get its faults too (R25)", async () => {
  const origin = "https://app.example.com"
  const named = await started({ fixtures: helpdesk, config: { cors_origins: [origin] } })
  const silent = await started()
  const seen = async (world: RunningWorld) => {
    const { headers } = await world.fetch(recordingPath, { headers: { ...asAda.headers, origin } })
    return headers.get("access-control-allow-origin")
  }
  expect([await seen(named), await seen(silent)]).toEqual([origin, null])
  await named.faults.create({ match: {}, respond: [503] })
  expect(await seen(named)).toBe(origin)
  const options = { config: { cors_origins: ["https://app.example.com/"] } }
  expect((await refusal(startEmulator(options))).message).toContain("must be an origin such as https://app.example.com")
})

test("answers a read over the socket while the deletion of a folder cancels deliveries in batches", async () => {
  const automations = Array.from({ length: 98 }, (_, n) => ({ id: `a${n}`, folder: "vip", url: "sink:crm" }))
  const emulator = await started({ fixtures: { ...helpdesk, automations } })
  await emulator.addToFolder("vip", recordingUuid)
  const ended: Array<string> = []
  const request = async (path: string, method: string) => {
    const { status } = await fetch(emulator.url + path, { ...asAda, method })
    ended.push(`${method} ${status}`)
  }
  // Opens both connections and loads the settings API.
  await Promise.all([request("/api/settings/folders", "GET"), request(recordingPath, "GET")])
  ended.length = 0
  await Promise.all([request("/api/settings/folders/vip", "DELETE"), request(recordingPath, "GET")])
  expect(ended).toEqual(["GET 200", "DELETE 204"])
})
