import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { Effect } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { FixturesRefused } from "../src/cli/fixturesFile.ts"
import { makeLog, type Output } from "../src/cli/log/Log.ts"
import { makeEmulatorServer } from "../src/serve/EmulatorServer.ts"
import type { World } from "../src/world/World.ts"

const uuid = "00000000-0000-4000-8000-000000000001"

const fixtures = {
  users: [
    { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" },
    { email: "bob@acme.test", name: "Bob", token: "bob-token" }
  ],
  recordings: [{ uuid, title: "Checkout fails" }],
  folders: [{ id: "vip", name: "VIP" }],
  sinks: [{ id: "crm", respond: [{ status: 500, after: "PT2S", body: "the body" }, "timeout", "dns", 200] }],
  automations: [
    {
      id: "a1",
      folder: "vip",
      url: "https://sinks.tapedeck.test/crm/in?key=url-secret",
      secret: "the-signing-secret",
      headers: { "X-Api-Key": "header-secret" }
    }
  ]
}

/** Standard error, as a test sees it. */
const makeOutput = (terminal: Partial<Output> = {}) => {
  const written: Array<string> = []
  let fail = (_: Error) => {}
  const output = {
    writableLength: 0,
    write: (text: string) => {
      written.push(text)
      return true
    },
    on: (_: string, listener: (error: Error) => void) => {
      fail = listener
    },
    ...terminal
  }
  const lines = () => written.join("").split("\n").slice(0, -1)
  return { output: output as unknown as Output & { writableLength: number }, lines, fail: (e: Error) => fail(e) }
}

/** An emulator that is followed by a log, and the log's output. */
const followed = async (terminal: Partial<Output> = {}) => {
  const { fail, lines, output } = makeOutput(terminal)
  const log = makeLog(output)
  const server = await makeEmulatorServer({ allowHosts: [], onWorld: log.follow })
  onTestFinished(() => server.close())
  const { world } = await server.run(server.emulator.create({ id: "default", fixtures }))
  const ask = (method: string, path: string, { json, token }: { json?: unknown; token?: string } = {}) =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(json !== undefined && { "content-type": "application/json" })
        },
        ...(json !== undefined && { body: JSON.stringify(json) })
      })
    )
  const logged = () => {
    log.flush()
    return lines()
  }
  return { ask, fail, server, log, logged, output, world }
}

const tour = async (ask: Awaited<ReturnType<typeof followed>>["ask"]) => {
  await ask("GET", `/api/v2/recordings/${uuid}?x=1`, { token: "ada-token" })
  await ask("PATCH", `/api/v2/recordings/${uuid}`, { token: "bob-token", json: { recording: { title: "No" } } })
  await ask("POST", "/_emulator/faults", { json: { match: { path: "/api/v2/users" }, respond: [503] } })
  await ask("GET", "/api/v2/users")
  await ask("POST", "/_emulator/folders/vip/recordings", { json: { recording: uuid } })
  await ask("POST", "/_emulator/clock/advance", { json: { by: "PT14H36M" } })
  await ask("PUT", "/_emulator/clock", { json: { mode: "stopped" } })
}

test("the entry that the README shows is a line of the log", async () => {
  const { ask, logged } = await followed()
  await ask("GET", "/api/v2/recordings?ticket_id=4711", { token: "ada-token" })
  expect(logged().map((line) => JSON.parse(line))).toEqual([
    JSON.parse(readFence("packages/emulator/README.md", "json"))
  ])
})

describe("The log on a terminal", () => {
  test("has an aligned line for each request, attempt and move of the clock", async () => {
    const { ask, logged } = await followed({ isTTY: true, columns: 140 })
    await tour(ask)
    const [, refused, ...others] = logged()
    expect([logged()[0], ...others.map((line) => line.replace(/ {2}[0-9a-f]{8}$/, "  ID"))]).toEqual([
      `2026-01-01 00:00:00.000  GET         200      /api/v2/recordings/${uuid}?x=1  ada@acme.test  unknown query x`,
      "2026-01-01 00:00:00.000  POST        201      /_emulator/faults",
      "2026-01-01 00:00:00.000  GET         503      /api/v2/users  rule fault1",
      "2026-01-01 00:00:00.000  POST        201      /_emulator/folders/vip/recordings",
      "2026-01-01 00:00:01.000  seal        success",
      "2026-01-01 00:00:00.000  attempt 1   500      a1: POST sink:crm  took 2s  ID",
      "2026-01-01 00:01:00.000  attempt 2   timeout  a1: POST sink:crm  +1m  took 30s  ID",
      expect.stringMatching(/^2026-01-01 00:06:00.000 {2}attempt 3 {3}dns {6}a1: POST sink:crm {2}\+6m {2}.+ {2}ID$/),
      "2026-01-01 00:36:00.000  attempt 4   200      a1: POST sink:crm  +36m  ID",
      "2026-01-01 14:36:00.000  clock       moved    +14h 36m  4 fired",
      "2026-01-01 14:36:00.000  clock       stopped"
    ])
    expect(refused).toContain(`2026-01-01 00:00:00.000  PATCH       403      /api/v2/recordings/${uuid}  bob@acme.test`)
  })

  test("names the rule of a refusal", async () => {
    const { logged, world } = await followed({ isTTY: true, columns: 140 })
    world.note({
      kind: "request",
      origin: "program",
      method: "GET",
      path: "/api/v2/x",
      status: 404,
      user: null,
      rule: "R1"
    })
    expect(logged()).toEqual(["2026-01-01 00:00:00.000  GET         404      /api/v2/x  rule R1"])
  })

  test("has colours if the terminal supports them", async () => {
    const colour = async (hasColors: boolean) => {
      const { logged, world } = await followed({ isTTY: true, columns: 140, hasColors: () => hasColors })
      for (const status of [200, 304, 404, 500]) {
        world.note({ kind: "request", origin: "program", method: "GET", path: "/", status, user: null })
      }
      return logged().map((line) => /\[(3\d)m(\d+) {4}.\[39m/.exec(line)?.slice(1))
    }
    expect(await colour(true)).toEqual([
      ["32", "200"],
      ["36", "304"],
      ["33", "404"],
      ["31", "500"]
    ])
    expect(await colour(false)).toEqual([undefined, undefined, undefined, undefined])
  })

  test("shortens lines to the terminal's width", async () => {
    const { logged, output, world } = await followed({ isTTY: true, columns: 80 })
    const note = (path: string, user: string) =>
      world.note({ kind: "request", origin: "program", method: "GET", path, status: 200, user })
    note(`/api/v2/recordings?ticket_id=${"1".repeat(500)}`, "ada@acme.test")
    note("/api/v2/recordings", `${"a".repeat(500)}@acme.test`)
    Object.assign(output, { columns: 120 })
    note(`/api/v2/recordings?ticket_id=${"1".repeat(500)}`, "ada@acme.test")
    const lines = logged()
    expect(lines.map((line) => line.length)).toEqual([80, 80, 120])
    expect(lines[0]).toMatch(/ {2}\/api\/v2\/recordings… {2}ada@acme\.test$/)
    expect(lines[1]).toMatch(/ {2}\/api\/v2\/recordi… {2}a+…$/)
  })

  test("escapes control characters of requests", async () => {
    const { logged, world } = await followed({ isTTY: true })
    const path = "/\x1b[2J\r\n\x9b31m\u202eevil"
    world.note({ kind: "request", origin: "program", method: "GET", path, status: 404, user: "a\nb" })
    expect(logged()).toEqual([
      "2026-01-01 00:00:00.000  GET         404      /\\u{1b}[2J\\u{d}\\u{a}\\u{9b}31m\\u{202e}evil  a\\u{a}b"
    ])
  })

  test("names the world in each line", async () => {
    const { ask, logged } = await followed({ isTTY: true })
    await ask("POST", "/_emulator/worlds", { json: { id: "w7", fixtures } })
    await ask("GET", "/worlds/w7/api/v2/recordings", { token: "ada-token" })
    expect(logged().map((line) => line.slice(25))).toEqual([
      "POST        201      /_emulator/worlds",
      "GET         200      /api/v2/recordings  ada@acme.test  in w7"
    ])
  })

  test("reports the result of a changed fixtures file", async () => {
    const { log, logged, world } = await followed({ isTTY: true })
    log.fixturesRead(world, "f.yaml", null)
    log.fixturesRead(
      world,
      "f.yaml",
      new FixturesRefused("f.yaml", [
        { path: "a", message: "x" },
        { path: "b", message: "y" }
      ])
    )
    expect(logged()).toEqual([
      "2026-01-01 00:00:00.000  fixtures    loaded   f.yaml  default world recreated",
      "2026-01-01 00:00:00.000  fixtures    refused  f.yaml  default world unchanged",
      "  a: x (f.yaml)",
      "  b: y (f.yaml)"
    ])
  })
})

describe("The log without a terminal", () => {
  test("contains the journal, one entry a line, with its world and without headers and bodies", async () => {
    const { ask, server, logged } = await followed()
    await tour(ask)
    const { entries } = (await (await server.fetch(new Request("http://localhost/_emulator/journal"))).json()) as {
      entries: ReadonlyArray<{ kind: string; request?: { method: string } }>
    }
    expect(logged().map((line) => JSON.parse(line))).toEqual(
      entries.map((entry) => {
        if (entry.kind !== "attempt") return { world: "default", ...entry }
        const { response: _, ...rest } = entry as Record<string, unknown>
        return { world: "default", ...rest, request: { method: "POST", url: "https://sinks.tapedeck.test/crm/in" } }
      })
    )
  })

  test("contains entries that the journal drops", async () => {
    const { server, logged } = await followed()
    const start = { id: "small", config: { journal_size: 0 } }
    const { world } = await server.run(server.emulator.create(start))
    world.note({ kind: "request", origin: "program", method: "GET", path: "/", status: 404, user: null })
    world.reset()
    world.note({ kind: "request", origin: "program", method: "PUT", path: "/", status: 404, user: null })
    expect(logged().map((line) => JSON.parse(line))).toMatchObject([
      { world: "small", seq: 1, method: "GET" },
      { world: "small", seq: 1, method: "PUT" }
    ])
  })

  test("reports the result of a changed fixtures file", async () => {
    const { log, logged, world } = await followed()
    log.fixturesRead(world, "f.yaml", null)
    const problems = [{ path: "users[0].name", message: "is required", line: 1, column: 10 }]
    log.fixturesRead(world, "f.yaml", new FixturesRefused("f.yaml", problems))
    const told = { world: "default", at: "2026-01-01T00:00:00.000Z", kind: "fixtures", file: "f.yaml" }
    expect(logged().map((line) => JSON.parse(line))).toEqual([
      { ...told, status: "loaded" },
      { ...told, status: "refused", errors: problems }
    ])
  })
})

const note = (world: World, path: string) =>
  world.note({ kind: "request", origin: "program", method: "GET", path, status: 200, user: null })

describe("The log", () => {
  test.each([
    ["on a terminal", { isTTY: true }],
    ["elsewhere", {}]
  ])("contains no secret %s", async (_, terminal) => {
    const { ask, logged } = await followed(terminal)
    await tour(ask)
    const all = logged().join("\n")
    for (const secret of ["ada-token", "bob-token", "the-signing-secret", "header-secret", "url-secret", "the body"]) {
      expect(all).not.toContain(secret)
    }
    expect(all).not.toMatch(/sha256=|v1,/)
  })

  test("is written without a flush, and simultaneous lines together", async () => {
    let written = (_: string) => {}
    const first = new Promise<string>((resolve) => {
      written = resolve
    })
    const { world } = await followed({
      write: (text: string) => {
        written(text)
        return true
      }
    } as Partial<Output>)
    note(world, "/1")
    note(world, "/2")
    expect((await first).trimEnd().split("\n")).toHaveLength(2)
  })

  test("does not delay requests if its reader is slow; lines beyond the buffer are lost", async () => {
    const { logged, output, world } = await followed()
    output.writableLength = 1 << 20
    note(world, "/lost")
    logged()
    output.writableLength = 0
    note(world, "/kept")
    expect(logged().map((line) => JSON.parse(line))).toMatchObject([{ seq: 2, path: "/kept" }])
  })

  test("does not end the command if its reader disconnects", async () => {
    const { ask, fail, logged, world } = await followed()
    fail(new Error("EPIPE"))
    note(world, "/gone")
    expect(logged()).toEqual([])
    expect((await ask("GET", "/api/v2/recordings", { token: "ada-token" })).status).toBe(200)
  })

  test("formats no lines if a world has no log", async () => {
    const server = await makeEmulatorServer({ allowHosts: [] })
    onTestFinished(() => server.close())
    const { world } = await Effect.runPromise(server.emulator.create({ id: "default" }))
    expect(world.onNote).toBe(null)
  })
})
