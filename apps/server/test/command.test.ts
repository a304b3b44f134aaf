import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, get, type IncomingMessage } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, onTestFinished, test } from "vitest"
import packageJson from "../package.json" with { type: "json" }
import { usage, usageOf } from "../src/cli/usage.ts"
import { listening, run, runProcess, temporaryFolder } from "./support/command.ts"
import { asAdmin, recording, startedWith } from "./support/people.ts"

const first = "00000000-0000-4000-8000-000000000001"

const ada = { email: "ada@acme.test", name: "Ada", role: "admin" }

const fixturesIn = (folder: string): string => {
  const file = join(folder, "fixtures.json")
  writeFileSync(file, JSON.stringify({ users: [ada], recordings: [{ uuid: first, title: "First" }] }))
  return file
}

const ask = (base: string, path: string, token: string, init: RequestInit = {}) =>
  fetch(`${base}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
  })

const titleOf = async (base: string, token: string) => {
  const answer = await ask(base, `/api/v2/recordings/${first}`, token)
  return ((await answer.json()) as { title: string }).title
}

describe("The exit code of the command", () => {
  test("is 0 after its help or version, on standard output", async () => {
    expect(await runProcess(["--help"])).toEqual({ out: usage, err: "", code: 0 })
    expect(await run(["serve", "--demo", "--help"])).toEqual({ out: usageOf("serve"), err: "", code: 0 })
    expect(await run(["help", "backup"])).toEqual({ out: usageOf("backup"), err: "", code: 0 })
    expect(await runProcess(["--version"])).toEqual({ out: `${packageJson.version}\n`, err: "", code: 0 })
  })

  test("is 2 for an invalid command line", async () => {
    const refused = [
      [["serv"], "serv: no such command (did you mean serve?)"],
      [["acount", "--help"], "acount: no such command (did you mean account?)"],
      [
        ["account"],
        "account: a subcommand is required: tapedeck account create, tapedeck account list, tapedeck account set"
      ],
      [[], "a command is required: "],
      [["--json"], "a command is required: "],
      [["serve", "--page-sise", "1"], "--page-sise: no such option (did you mean --page-size?)"],
      [["serve", "--host", "--json"], "--host: needs a value"],
      [["serve", "--json=yes"], "--json: takes no value"],
      [["serve", "--demo", "--fixtures", "f.json"], "--demo and --fixtures: give only one of them"],
      [["serve", "--transcriber-key", "k"], "--transcriber-key: no such option"],
      [["key", "rotate", "--port", "1"], "--port: not an option of tapedeck key rotate"]
    ] as const
    for (const [args, message] of refused) {
      const { code, err, out } = await run(args)
      expect({ code, out }, message).toEqual({ code: 2, out: "" })
      expect(err).toContain(`tapedeck: ${message}`)
    }
  })

  test("is 2 for invalid settings, with the names under which they were set", async () => {
    const refused = await runProcess(["serve", "--port", "x"], { TAPEDECK_PAGE_SIZE: "0" })
    expect(refused).toEqual({
      code: 2,
      out: "",
      err: [
        "tapedeck: --port: must be an integer from 0 to 65535, not x",
        "TAPEDECK_PAGE_SIZE: must be an integer of at least 1, not 0",
        ""
      ].join("\n")
    })
  })

  test("is 3 for fixtures that cannot be read, or have errors", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "f.yaml")
    const args = ["serve", "--store", "memory", "--fixtures", file]
    expect(await runProcess(args)).toEqual({ code: 3, out: "", err: `tapedeck: ${file}: no such file\n` })
    writeFileSync(file, "recordings:\n  - user: no@one.test\n")
    expect(await run(args)).toMatchObject({ code: 3, err: expect.stringContaining("recordings[0].user: no such user") })
    const folders = [{ id: "f1", name: "One" }]
    const automations = [{ folder: "f1", url: "http://receiver.test/hook" }]
    writeFileSync(file, JSON.stringify({ sinks: [{ id: "crm" }], folders, automations }))
    const refused = await run(args)
    expect(refused).toMatchObject({ code: 3, out: "" })
    expect(refused.err).toContain("sinks: only the emulator has sinks")
    expect(refused.err).toMatch(/automations\[0\]\.url: .*https/i)
    const script = [{ reads: 3, status: "ready" }]
    writeFileSync(file, JSON.stringify({ recordings: [{ uuid: first, transcript: { script } }] }))
    expect(await run(args)).toMatchObject({
      code: 3,
      err: "tapedeck: recordings[0].transcript.script: only the emulator counts reads: use `at` instead of `reads`\n"
    })
  })

  test("is 4 if it cannot listen, with the option to change", async () => {
    const taken = createServer()
    onTestFinished(() => void taken.close())
    const port = await new Promise<number>((resolve) =>
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as AddressInfo).port))
    )
    expect(await runProcess(["serve", "--store", "memory", "--port", String(port)])).toEqual({
      code: 4,
      out: "",
      err: `tapedeck: --port: ${port} is in use at 127.0.0.1; use --port 0 for a free one\n`
    })
  })

  test.each([
    ["serve", "--port", "0", "--data", "/proc/x/y"],
    ["account", "create", "Acme", "--data", "/proc/x"]
  ])("is 5 where no directory can be created: %s", async (...args) => {
    const { code, err } = await runProcess(args)
    expect({ code, err: err.replace("/proc/x/y", "/proc/x") }).toEqual({
      code: 5,
      err: "tapedeck: /proc/x: no directory can be created here\n"
    })
  })

  test("is 5 for a data directory that is a file, not writable, or newer", async () => {
    const folder = temporaryFolder()
    const file = fixturesIn(folder)
    expect(await run(["serve", "--data", file])).toEqual({
      code: 5,
      out: "",
      err: `tapedeck: ${file}: this is a file, not a directory\n`
    })
    // Not writable, not even by root.
    const { code, err } = await run(["serve", "--data", "/sys/tapedeck-data"])
    expect({ code, err }).toEqual({
      code: 5,
      err: expect.stringMatching(
        /^tapedeck: \/sys\/tapedeck-data: this (user may not write here|file system is read-only)\n$/
      )
    })

    const data = join(folder, "data")
    const { stop } = await listening(["--data", data])
    await stop()
    const database = new DatabaseSync(join(data, "tapedeck.db"))
    database.exec("INSERT INTO migrations (version, name, checksum) VALUES (999, 'from the future', '')")
    database.close()
    const newer = await runProcess(["serve", "--data", data])
    expect(newer).toMatchObject({
      code: 5,
      out: "",
      err: expect.stringContaining("version 999, which a newer Tapedeck made")
    })
    expect(newer.err.trim().split("\n")).toHaveLength(1)
  })

  test("is 6 for a key that others may read, that is missing, or that is another's", async () => {
    const data = join(temporaryFolder(), "data")
    const { stop } = await listening(["--data", data])
    await stop()
    chmodSync(join(data, "key"), 0o644)
    expect(await run(["serve", "--data", data])).toMatchObject({ code: 6, err: expect.stringContaining("chmod 600") })
    const other = Buffer.alloc(32, 7).toString("base64")
    const wrong = await runProcess(["serve", "--data", data], { TAPEDECK_KEY: other })
    expect(wrong).toMatchObject({ code: 6, err: expect.stringContaining("sealed with another key") })
    expect(wrong.err).not.toContain(other)
  })
})

describe("The server", () => {
  test("keeps all data over a restart, and loads its fixtures once", async () => {
    const folder = temporaryFolder()
    const args = ["--data", join(folder, "data"), "--fixtures", fixturesIn(folder)]
    const before = await listening(args)
    const token = before.view.tokens[ada.email]!
    const body = JSON.stringify({ recording: { title: "Changed" } })
    const changed = await ask(before.view.base_url, `/api/v2/recordings/${first}`, token, { method: "PATCH", body })
    expect(changed.status).toBe(200)
    expect(await before.stop()).toBe(0)

    const after = await listening(args)
    expect(after.view.tokens).toEqual({ [ada.email]: token })
    expect(await titleOf(after.view.base_url, token)).toBe("Changed")
    expect(await after.stop()).toBe(0)
  })

  test("links to the port that it listens on if that was chosen automatically", async () => {
    const { view } = await listening(startedWith())
    expect(new URL(view.base_url).port).not.toBe("0")
    expect(view.public_url).toBe(view.base_url)
    const list = await fetch(`${view.base_url}/api/v2/recordings`, { headers: asAdmin })
    expect(await list.json()).toMatchObject({ records: [{ metadata: { url: `${view.base_url}/r/${recording}` } }] })
  })

  test("refuses a data directory that another server uses", async () => {
    const data = join(temporaryFolder(), "data")
    await listening(["--data", data])
    const second = await runProcess(["serve", "--data", data, "--port", "0"])
    expect(second).toMatchObject({ code: 5, out: "", err: expect.stringContaining("uses this data directory") })
    const rotated = await runProcess(["key", "rotate", "--data", data])
    expect(rotated).toMatchObject({ code: 5, out: "" })
  })

  test("creates files that only its own user can access", async () => {
    const data = join(temporaryFolder(), "data")
    await listening(["--data", data, "--demo"])
    for (const name of ["tapedeck.db", "tapedeck.db-wal", "key"]) {
      expect((statSync(join(data, name)).mode & 0o077).toString(8), name).toBe("0")
    }
    expect((statSync(data).mode & 0o077).toString(8)).toBe("0")
  })

  test("closes unused connections on a stop, waits for a response in flight, and exits with 0", async () => {
    const { child, ended, view } = await listening(["--store", "memory", "--fixtures", bigVideoIn(temporaryFolder())])
    const headers = { authorization: `Bearer ${view.tokens[ada.email]}` }
    const answer = await new Promise<IncomingMessage>((resolve) =>
      get(`${view.base_url}/api/v2/recordings/${first}/download`, { headers }, resolve)
    )
    // Browsers open connections in advance: one without a request is closed at once.
    const unused = connect(Number(new URL(view.base_url).port), "127.0.0.1")
    await once(unused, "connect")
    child.kill("SIGTERM")
    await once(unused.resume(), "close")
    let received = 0
    answer.on("data", (piece: Buffer) => {
      received += piece.length
    })
    await new Promise((resolve) => answer.once("end", resolve))
    expect(received).toBe(40_000_000)
    expect(await ended).toBe(0)
  })

  test("continues after SIGHUP, which log rotation sends", async () => {
    const server = await listening(startedWith())
    server.child.kill("SIGHUP")
    // Signals come in their order: one that ended it would have done so by now.
    expect((await fetch(`${server.view.base_url}/healthz`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  test("ends at once at a second signal", async () => {
    const { child, ended, view } = await listening(["--store", "memory", "--fixtures", bigVideoIn(temporaryFolder())])
    const headers = { authorization: `Bearer ${view.tokens[ada.email]}` }
    // The response stays open because the client does not read it.
    const answer = await new Promise<IncomingMessage>((resolve) =>
      get(`${view.base_url}/api/v2/recordings/${first}/download`, { headers }, resolve)
    )
    answer.on("error", () => {})
    child.kill("SIGTERM")
    while ((await fetch(view.base_url).catch(() => undefined)) !== undefined);
    child.kill("SIGTERM")
    expect(await ended).toBe(143)
  })

  test("starts with an unknown variable, and logs a warning", async () => {
    const { output, stop } = await listening(["--store", "memory"], { TAPEDECK_PAGESIZE: "3" })
    expect(await stop()).toBe(0)
    expect(output.err).toContain("TAPEDECK_PAGESIZE: there is no such variable (did you mean TAPEDECK_PAGE_SIZE?)")
  })
})

test("a command for the data directory's database does not change it if another database is configured", async () => {
  const folder = temporaryFolder()
  const data = join(folder, "data")
  await run(["account", "create", "Acme", "--data", data])
  const key = readFileSync(join(data, "key"), "utf8")
  const environment = { TAPEDECK_DATABASE_URL: "postgres://ann:secret@127.0.0.1:9/tapedeck" }
  for (const command of [["backup", join(folder, "backup")], ["migrate"]]) {
    const { code, err, out } = await run([...command, "--data", data], environment)
    expect({ code, out }, command.join(" ")).toEqual({ code: 2, out: "" })
    expect(err).toContain("TAPEDECK_DATABASE_URL: tapedeck ")
    expect(err).not.toContain("secret")
  }
  // Nodes are given their key: what the directory has may be another database's.
  expect(await run(["key", "rotate", "--data", data], environment)).toEqual({
    code: 6,
    out: "",
    err: expect.stringContaining("TAPEDECK_KEY or TAPEDECK_KEY_FILE: set one of them")
  })
  expect(readFileSync(join(data, "key"), "utf8")).toBe(key)
  expect(existsSync(join(folder, "backup"))).toBe(false)
})

describe("key rotate", () => {
  const tokensOf = async (args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv = {}) => {
    const { stop, view } = await listening(args, environment)
    const token = view.tokens[ada.email]!
    const title = await titleOf(view.base_url, token)
    await stop()
    return { token, title }
  }

  test("replaces the key of the data directory; tokens stay valid", async () => {
    const folder = temporaryFolder()
    const data = join(folder, "data")
    const args = ["--data", data, "--fixtures", fixturesIn(folder)]
    const before = await tokensOf(args)
    const old = readFileSync(join(data, "key"), "utf8")
    expect(await runProcess(["key", "rotate", "--data", data])).toMatchObject({ code: 0, err: "" })
    expect(readFileSync(join(data, "key"), "utf8")).not.toBe(old)
    expect(await tokensOf(args)).toEqual(before)
    expect(await runProcess(["serve", "--data", data], { TAPEDECK_KEY: old.trim() })).toMatchObject({ code: 6 })
  })

  test("is completed or reverted at the next start after an interruption", async () => {
    const folder = temporaryFolder()
    const data = join(folder, "data")
    const args = ["--data", data, "--fixtures", fixturesIn(folder)]
    const before = await tokensOf(args)
    const [key, next] = [join(data, "key"), join(data, "key.next")]

    // Before the database took the new key.
    const old = readFileSync(key, "utf8")
    writeFileSync(next, `${Buffer.alloc(32, 3).toString("base64")}\n`, { mode: 0o600 })
    expect(await tokensOf(args)).toEqual(before)
    expect(readFileSync(key, "utf8")).toBe(old)

    // After it, and before the file had its name.
    expect(await run(["key", "rotate", "--data", data])).toMatchObject({ code: 0 })
    const rotated = readFileSync(key, "utf8")
    writeFileSync(next, rotated, { mode: 0o600 })
    writeFileSync(key, old)
    expect(await tokensOf(args)).toEqual(before)
    expect(readFileSync(key, "utf8")).toBe(rotated)
  })

  test("uses the environment's next key if the present one is the environment's", async () => {
    const folder = temporaryFolder()
    const args = ["--data", join(folder, "data"), "--fixtures", fixturesIn(folder)]
    const [one, two] = [Buffer.alloc(32, 1).toString("base64"), Buffer.alloc(32, 2).toString("base64")]
    const before = await tokensOf(args, { TAPEDECK_KEY: one })
    const rotate = ["key", "rotate", "--data", join(folder, "data")]
    expect(await run(rotate, { TAPEDECK_KEY: one })).toMatchObject({ code: 6, err: expect.stringContaining("NEW_KEY") })
    expect(await run(rotate, { TAPEDECK_KEY: one, TAPEDECK_NEW_KEY: two })).toMatchObject({ code: 0 })
    expect(await tokensOf(args, { TAPEDECK_KEY: two })).toEqual(before)
  })

  test("refuses a directory without a database", async () => {
    const data = join(temporaryFolder(), "data")
    mkdirSync(data)
    expect(await run(["key", "rotate", "--data", data])).toMatchObject({
      code: 5,
      err: `tapedeck: ${data}: no database in this directory; set --data or TAPEDECK_DATA\n`
    })
  })
})

/** A start document with a video that no socket's buffer holds. */
const bigVideoIn = (folder: string): string => {
  const file = join(folder, "fixtures.json")
  const recordings = [{ uuid: first, video: { original: { size: 40_000_000 } } }]
  writeFileSync(file, JSON.stringify({ users: [ada], recordings }))
  return file
}
