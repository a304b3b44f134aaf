import { existsSync, writeFileSync } from "node:fs"
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { createServer, get, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import packageJson from "../package.json" with { type: "json" }
import { usage } from "../src/cli/commandLine.ts"
import { commandLine, listening, rest, run, start, temporaryFolder } from "./support/command.ts"

const read = async (base: string, token: string) => {
  const answer = await fetch(`${base}/api/v2/recordings`, { headers: { authorization: `Bearer ${token}` } })
  const { error, records } = (await answer.json()) as { error?: string; records?: ReadonlyArray<{ title: string }> }
  return records?.map(({ title }) => title) ?? error
}

const control = (url: string, method: string, body: unknown) =>
  fetch(url, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

/** Lets a server listen on a free port of loopback. */
const portOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))

describe("The exit code of the command", () => {
  test("is 0 after its help or version, on standard output", async () => {
    expect(await run("--help")).toEqual({ out: usage.trimEnd(), err: "", code: 0 })
    expect(await run("--version")).toEqual({ out: packageJson.version, err: "", code: 0 })
  })

  test("is 2 for invalid options", async () => {
    const see = "See tapedeck-emulator --help."
    expect(await run("--prot", "1")).toEqual({
      out: "",
      err: `tapedeck-emulator: --prot: no such option\n${see}`,
      code: 2
    })
    const { code, err } = await run("--now", "tomorrow")
    expect({ code, err }).toEqual({
      code: 2,
      err: `tapedeck-emulator: --now: must be an ISO 8601 instant, such as 2026-01-01T00:00:00.000Z, not tomorrow\n${see}`
    })
  })

  test("is 3 for fixtures that cannot be read or parsed, with their line and column", async () => {
    const file = join(await temporaryFolder(), "f.yaml")
    expect(await run("--fixtures", file)).toEqual({ out: "", err: `tapedeck-emulator: ${file}: no such file`, code: 3 })
    await writeFile(file, "users:\n  - name: a: b\n")
    expect(await run("--fixtures", file)).toEqual({
      out: "",
      err: `tapedeck-emulator: ${file}:2:11: Nested mappings are not allowed in compact mappings`,
      code: 3
    })
  })

  test("is 3 for a start document with errors, one a line with its path and place", async () => {
    const file = join(await temporaryFolder(), "f.yaml")
    await writeFile(file, "recordings:\n  - user: no@one.test\nfolders:\n  - nmae: VIP\nconfig: { page_size: 0 }\n")
    const { code, err, out } = await run("--fixtures", file, "--port", "0")
    expect({ code, out }).toEqual({ code: 3, out: "" })
    const [heading, ...errors] = err.split("\n")
    expect(heading).toBe("tapedeck-emulator: 4 errors in the fixtures")
    expect(errors.map((line) => /^(\S+): .+ \((.*)\)$/.exec(line)?.slice(1))).toEqual([
      ["config.page_size", `${file}:5:11`],
      ["recordings[0].user", `${file}:2:5`],
      ["folders[0].nmae", `${file}:4:5`],
      ["folders[0].name", `${file}:4:5`]
    ])
  })

  test("is 4 if it cannot listen, with the option to change", async () => {
    const taken = createServer()
    onTestFinished(() => void taken.close())
    const port = await portOf(taken)
    expect(await run("--port", String(port))).toEqual({
      out: "",
      err: `tapedeck-emulator: --port: ${port} is in use at 127.0.0.1; use --port 0 for a free one`,
      code: 4
    })
    expect(await run("--port", "0", "--host", "203.0.113.1")).toMatchObject({
      err: "tapedeck-emulator: --host: 203.0.113.1 is not an address of this machine",
      code: 4
    })
  })
})

describe("Stopping the command", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("ends it with 0 on %s", async (signal) => {
    const { ended, kill } = await listening()
    kill(signal)
    expect(await ended).toBe(0)
  })

  test("ends it with 0 when standard input ends, if it was started with --until-stdin-ends", async () => {
    const { endInput, ended, world } = await listening("--until-stdin-ends")
    expect((await fetch(world.control_url)).status).toBe(200)
    endInput()
    expect(await ended).toBe(0)
  })

  test("is not delayed by a running clock, open connections, waiting callers, a slow receiver, or an unread log", async () => {
    const silent = createServer(() => {})
    onTestFinished(() => silent.closeAllConnections())
    const port = await portOf(silent)
    const file = join(await temporaryFolder(), "f.json")
    await writeFile(
      file,
      JSON.stringify({
        config: { real_timeout_ms: 600_000 },
        recordings: [{ uuid: "00000000-0000-4000-8000-000000000001" }],
        folders: [{ id: "f1", name: "VIP" }],
        automations: [{ folder: "f1", url: `http://127.0.0.1:${port}/` }]
      })
    )
    const { ended, kill, world } = await listening("--clock", "running", "--fixtures", file, "--watch")
    const called = new Promise((resolve) => silent.once("request", resolve))
    const idle = await new Promise<IncomingMessage>((resolve) => get(`${world.base_url}/api/v2/openapi.json`, resolve))
    idle.on("error", () => {}).resume()
    const waiting = control(`${world.control_url}/journal/wait`, "POST", { match: { seq: -1 }, timeout_ms: 600_000 })
    waiting.catch(() => {})
    // More than the pipe and both ends of it buffer.
    for (let n = 0; n < 200; n++) await fetch(`${world.base_url}/api/v2/${"x".repeat(4_000)}`)
    await control(`${world.control_url}/folders/f1/recordings`, "POST", {
      recording: "00000000-0000-4000-8000-000000000001"
    })
    await called
    kill("SIGTERM")
    expect(await ended).toBe(0)
    silent.close()
  })

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const)("ends it at once at the second signal: %s", async (signal, code) => {
    // The stop of an emulator is over too soon to be met: one that is never over.
    const signals = new URL("../src/cli/signals.ts", import.meta.url)
    const script = `const { stopOnSignals } = await import("${signals}")
      setInterval(() => {}, 1e9)
      stopOnSignals(0).onStop(() => new Promise(() => console.log("stopping")))
      console.log("ready")`
    const { ended, kill, outLine } = start([process.execPath, "--input-type=module", "--eval", script])
    expect(await outLine()).toBe("ready")
    kill("SIGINT")
    expect(await outLine()).toBe("stopping")
    kill(signal)
    expect(await ended).toBe(code)
  })
})

describe("The output of the command", () => {
  test("has all addresses, on standard output", async () => {
    const command = start(commandLine(["--port", "0", "--demo"]))
    const banner: Array<string> = []
    for (let line = await command.outLine(); line !== undefined; line = await command.outLine()) {
      banner.push(line)
      if (line.includes("curl")) break
    }
    const base = /API +(\S+)\/api\/v2/.exec(banner.join("\n"))?.[1]
    expect(banner).toEqual([
      `Tapedeck emulator ${packageJson.version}`,
      "",
      `  API       ${base}/api/v2   (docs: ${base}/api/docs)`,
      `  Control   ${base}/_emulator`,
      `  Page      ${base}/_emulator/ui`,
      "  Clock     2026-01-01T00:00:00.000Z, stopped",
      "  Tokens",
      "    ada@acme.test  demo-admin-token",
      "    bob@acme.test  demo-member-token",
      expect.stringMatching(/^ {4}mia@acme.test {2}tdk_\w+$/),
      "",
      "Try",
      `  curl -H 'Authorization: Bearer demo-admin-token' ${base}/api/v2/recordings`
    ])
    for (const path of ["/api/docs", "/_emulator", "/_emulator/ui"]) expect((await fetch(base + path)).status).toBe(200)
  })

  test("is the world in one line with --json, and the journal on standard error, one entry a line", async () => {
    const { ended, errLine, kill, outLine, world } = await listening("--demo")
    expect(world).toEqual(await (await fetch(world.control_url)).json())
    await read(world.base_url, "demo-admin-token")
    expect(JSON.parse((await errLine()) ?? "")).toEqual({
      world: "default",
      seq: 1,
      at: "2026-01-01T00:00:00.000Z",
      kind: "request",
      method: "GET",
      path: "/api/v2/recordings",
      status: 200,
      user: "ada@acme.test",
      origin: "program"
    })
    await read(world.base_url, "demo-admin-token")
    kill("SIGTERM")
    expect((await rest(errLine)).map((line) => JSON.parse(line).seq)).toEqual([2])
    expect(await rest(outLine)).toEqual([])
    expect(await ended).toBe(0)
  })

  test("has nothing more with --quiet", async () => {
    const { errLine, kill, outLine, world } = await listening("--demo", "--quiet")
    await read(world.base_url, "demo-admin-token")
    kill("SIGTERM")
    expect([await rest(errLine), await rest(outLine)]).toEqual([[], []])
  })

  test("has the name of the host that was requested", async () => {
    const { world } = await listening("--allow-host", "emulator")
    const host = `emulator:${new URL(world.base_url).port}`
    const answer = await new Promise<IncomingMessage>((resolve) =>
      get(world.control_url, { headers: { host } }, resolve)
    )
    const body = JSON.parse((await answer.toArray()).join(""))
    expect(body).toMatchObject({ base_url: `http://${host}`, control_url: `http://${host}/_emulator` })
  })
})

const terminal = "/usr/bin/script"
if (!existsSync(terminal)) console.warn(`the command is not run on a terminal: there is no ${terminal}`)

describe.skipIf(!existsSync(terminal))("The command on a terminal", () => {
  const onTerminal = (env: NodeJS.ProcessEnv) =>
    start([terminal, "-qefc", commandLine(["--port", "0", "--json"]).join(" "), "/dev/null"], {
      // A terminal of a person, wherever the test runs: Node takes CI for one without colours.
      TERM: "xterm",
      CI: undefined,
      NODE_DISABLE_COLORS: undefined,
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      ...env
    })

  test.each([
    ["in colours", {}, "\u001b[33m401    \u001b[39m"],
    ["without, for NO_COLOR", { NO_COLOR: "1" }, "  401      /"]
  ])("writes a readable log, %s", async (_, env, status) => {
    const { outLine } = onTerminal(env)
    const { base_url } = JSON.parse((await outLine()) ?? "") as { base_url: string }
    await fetch(`${base_url}/api/v2/recordings`)
    const line = await outLine()
    expect(line).toContain("GET ")
    expect(line).toContain(status)
  })
})

describe("With --watch, the default world", () => {
  const documentOf = (title: string) =>
    `users: [{ email: a@a.test, name: A, role: admin, token: t }]\nrecordings: [{ title: "${title}" }]\n`

  const watchFile = async (file: string) => {
    await writeFile(file, documentOf("First"))
    const command = await listening("--fixtures", file, "--watch", "--quiet")
    const told = async () => JSON.parse((await command.errLine()) ?? "null")
    return { ...command, told, titles: () => read(command.world.base_url, "t") }
  }

  test("--watch recreates the world when the file is written or replaced", async () => {
    const folder = await temporaryFolder()
    const file = join(folder, "f.yaml")
    const { titles, told } = await watchFile(file)
    const loaded = { world: "default", at: "2026-01-01T00:00:00.000Z", kind: "fixtures", file, status: "loaded" }
    expect(await titles()).toEqual(["First"])
    writeFileSync(file, documentOf("Second, in place"))
    expect(await told()).toEqual(loaded)
    expect(await titles()).toEqual(["Second, in place"])
    for (const title of ["Third", "Fourth"]) {
      await writeFile(join(folder, "new"), documentOf(title))
      await rename(join(folder, "new"), file)
      expect(await told()).toEqual(loaded)
      expect(await titles()).toEqual([title])
    }
  })

  test("--watch recreates the world when a link in the path changes, as in Kubernetes", async () => {
    const folder = await temporaryFolder()
    for (const version of ["1", "2"]) {
      await mkdir(join(folder, version))
      await writeFile(join(folder, version, "f.yaml"), documentOf(`Version ${version}`))
    }
    await symlink("1", join(folder, "data"))
    const { titles, told } = await watchFile(join(folder, "data/f.yaml"))
    await symlink("2", join(folder, "data.new"))
    await rename(join(folder, "data.new"), join(folder, "data"))
    expect(await told()).toMatchObject({ status: "loaded" })
    expect(await titles()).toEqual(["Version 2"])
  })

  test("stays unchanged while the file has errors or does not exist", async () => {
    const file = join(await temporaryFolder(), "f.yaml")
    const { titles, told, world } = await watchFile(file)
    await control(`${world.control_url}/clock/advance`, "POST", { by: "PT1H" })
    const refused = { world: "default", at: "2026-01-01T01:00:00.000Z", kind: "fixtures", file, status: "refused" }
    await writeFile(file, "users: [\n")
    expect(await told()).toMatchObject({ ...refused, errors: [{ path: "", line: 2, column: 1 }] })
    await writeFile(file, `${documentOf("Third")}folders:\n  - nmae: x\n`)
    expect(await told()).toMatchObject({
      ...refused,
      errors: [
        { path: "folders[0].nmae", line: 4, column: 5 },
        { path: "folders[0].name", message: "is required", line: 4, column: 5 }
      ]
    })
    await rm(file)
    expect(await told()).toEqual({ ...refused, errors: [{ path: "", message: "no such file" }] })
    expect(await titles()).toEqual(["First"])
    await writeFile(file, documentOf("Fourth"))
    expect(await told()).toMatchObject({ status: "loaded", at: "2026-01-01T00:00:00.000Z" })
    expect(await titles()).toEqual(["Fourth"])
  })

  test("--watch recreates only the default world", async () => {
    const file = join(await temporaryFolder(), "f.yaml")
    const { told, world } = await watchFile(file)
    const users = [{ email: "z@z.test", name: "Z", token: "z" }]
    const recordings = [{ title: "Mine", user: "z@z.test" }]
    const other = (await (
      await control(`${world.control_url}/worlds`, "POST", { fixtures: { users, recordings } })
    ).json()) as { base_url: string }
    await writeFile(file, documentOf("Second"))
    await told()
    expect(await read(other.base_url, "z")).toEqual(["Mine"])
  })
})
