import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { readFence, readFences } from "@tapedeck/tsconfig/fences.ts"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { openShell, type Shell } from "./shell.ts"

// The commands of documents, page by page, in one directory that is empty at first, with the built commands.

let shell: Shell
/** Ada's access token on the server that apps/server/README.md starts. */
let token = ""
beforeAll(async () => {
  shell = await openShell()
})
afterAll(() => shell.close())

/** A file that the server takes for an MP4 file of 2264 bytes. */
const mp4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from("ftypisom"), Buffer.alloc(2252)])

const linesOf = (output: string): ReadonlyArray<string> => output.split("\n").filter((line) => line !== "")

test("apps/server/README.md starts a server by npx, installs one, and checks it", async () => {
  await shell.run(readFence("apps/server/README.md", "sh", "npx @tapedeck/server"))
  expect(shell.printed("server")).toContain(shell.urls.server)
  await shell.run(readFence("apps/server/README.md", "sh", "npm install --global"))
  token = /ada@acme\.test\D*?(tdk_\w+)/.exec(shell.printed("server"))?.[1] ?? ""
  const checked = await shell.run(readFence("apps/server/README.md", "sh", "tapedeck doctor"))
  expect(checked).toMatch(/^ok +database/m)
  expect(checked).not.toMatch(/^fault/m)
})

/** Runs requests to an emulator that was started before, and parses each answer. */
const answersOf = async (block: string) =>
  linesOf(await shell.run(block.replaceAll(/\\\n/g, " ").replaceAll(/^curl .*$/gm, "$&\necho"))).map((line) =>
    JSON.parse(line)
  )

test.each([
  ["README.md", readFence("README.md", "sh", "emulator --demo"), readFence("README.md", "sh", "clock/advance")],
  [
    "docs/testing.md",
    readFence("docs/testing.md", "sh", "emulator --demo"),
    readFence("docs/testing.md", "sh", "clock/advance")
  ]
])("the requests of %s make all six attempts of a webhook", async (_, start, requests) => {
  await shell.run(start)
  const [sink, ...others] = await answersOf(requests)
  const [added, moved, { deliveries }] = others.slice(-3)
  expect(sink.respond).toEqual([500])
  expect(added.deliveries).toHaveLength(1)
  expect(moved.reached).toBe(true)
  const minutes = deliveries[0].attempts.map(({ elapsed_ms }: { elapsed_ms: number }) => elapsed_ms / 60_000)
  expect(minutes).toEqual([0, 1, 6, 36, 156, 876])
  expect(deliveries[0].state).toBe("permanently_failed")
})

test("CONTRIBUTING.md explains a delivery", async () => {
  await shell.run("npx pnpm -s emulator --demo")
  const [explanation, log, journal] = (await answersOf(readFence("CONTRIBUTING.md", "sh", "/explain"))).slice(-3)
  expect(explanation).toMatchObject({ state: "waiting", reason: "waiting_for_retry" })
  expect(log.deliveries[0].attempts.length).toBeGreaterThan(0)
  expect(journal.entries.length).toBeGreaterThan(0)
})

test("docs/testing.md starts an emulator and creates a world", async () => {
  // Started as a command that is ready when it returns.
  const block = readFence("docs/testing.md", "sh", "_emulator/worlds").replace(/ & .*/, "")
  const [{ base_url, control_url, tokens }] = await answersOf(block)
  expect(control_url).toBe(`${base_url}/_emulator`)
  expect(Object.keys(tokens)).toEqual(["ada@acme.test"])
})

test("docs/uploading.md uploads a video in one PUT, by tus-js-client and in parts", async () => {
  writeFileSync(join(shell.folder, "call.mp4"), mp4)
  const shown = [
    readFence("docs/uploading.md", "json"),
    "upload-offset: 1000\n",
    readFence("docs/uploading.md", "json")
  ]
  const output = await shell.run(
    [
      readFence("docs/uploading.md", "sh", "api="),
      readFence("docs/uploading.md", "sh", "-T call.mp4"),
      readFence("docs/uploading.md", "sh", "Tus-Resumable"),
      "echo $uuid"
    ].join("\n"),
    { TOKEN: token }
  )
  const [uuid = ""] = linesOf(output).slice(-1)
  expect(output.replaceAll("\r", "")).toBe(`${shown.join("")}${uuid}\n`)

  const folder = mkdtempSync(join(import.meta.dirname, ".upload-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "call.mp4"), mp4)
  writeFileSync(join(folder, "upload.mjs"), readFence("docs/uploading.md", "js"))
  const env = { ...process.env, API: `${shell.urls.server}/api/settings`, RECORDING: uuid, TOKEN: token }
  const { stderr, stdout } = await promisify(execFile)(process.execPath, ["upload.mjs"], { cwd: folder, env })
  expect(stdout + stderr).toBe("uploaded\n")
})

test("docs/idempotency.md creates a folder once", async () => {
  const block = readFence("docs/idempotency.md", "sh")
  const [first = "", repeat = ""] = [await shell.run(block, { TOKEN: token }), await shell.run(block, { TOKEN: token })]
  expect(first).toMatch(/^HTTP\/1\.1 201 /)
  expect(first).not.toMatch(/^idempotency-replayed/im)
  expect(repeat).toMatch(/^idempotency-replayed: true\r$/im)
  expect(linesOf(repeat).at(-1)).toBe(linesOf(first).at(-1))
})

test("docs/media.md imports a transcript", async () => {
  writeFileSync(join(shell.folder, "talk.vtt"), "WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n")
  const variables = { TOKEN: token, UUID: "00000000-0000-4000-8000-000000000001" }
  const output = await shell.run(readFence("docs/media.md", "sh", "/transcript/import"), variables)
  expect(JSON.parse(output)).toMatchObject({ status: "ready", segments: [{ text: "Hello." }] })
})

test("docs/capture.md creates a capture link, and imports a log", async () => {
  const link = readFence("docs/capture.md", "sh", "/capture-links")
  const output = await shell.run(link, { TOKEN: token })
  expect(JSON.parse(output)).toEqual({ url: expect.stringContaining("/c/"), state: "active" })
  writeFileSync(join(shell.folder, "log.jsonl"), readFence("docs/capture.md", "jsonl"))
  const uuid = "00000000-0000-4000-8000-000000000002"
  const imported = readFence("docs/capture.md", "sh", "-T log.jsonl")
  expect(await shell.run(`${link}${imported}`, { TOKEN: token, uuid })).toContain("TypeError: x is null")
})

test("docs/server.md lists the settings and rotates the key of a server that is stopped", async () => {
  expect(await shell.run(readFence("docs/server.md", "sh", "--help"))).toContain("--public-url")
  await shell.run("stop-server")
  await shell.run(readFence("docs/server.md", "sh", "key rotate"))
  await shell.run("tapedeck serve --data ./tapedeck-data")
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${shell.urls.server}/api/v2/recordings`, { headers })).status).toBe(200)
})

test("the settings in docs/media.md, webhooks-network.md, cluster.md and versions.md are accepted", async () => {
  const secret = join(shell.folder, "secret")
  writeFileSync(secret, "a-secret", { mode: 0o400 })
  const blocks = [
    ...readFences("docs/{media,webhooks-network}.md", "sh", "TAPEDECK_"),
    ...readFences("docs/cluster.md", "sh", "TAPEDECK_DATABASE_URL"),
    ...readFences("docs/versions.md", "sh")
  ]
  const outputs = blocks.map(async ({ code }) => {
    const filledIn = code
      .replaceAll(/\/run\/secrets\/\w+/g, secret)
      .replaceAll("TAPEDECK_KEY=…", `TAPEDECK_KEY=${Buffer.alloc(32, 7).toString("base64")}`)
      .replaceAll("postgres://…", "postgres://tapedeck@db.example.com/tapedeck")
      .replaceAll(/tapedeck (?:serve|migrate --from \S+)|systemctl stop tapedeck/g, "tapedeck config")
    const output = await shell.run(
      `set -a\n${filledIn}\n${filledIn.includes("tapedeck config") ? "" : "tapedeck config"}`
    )
    const names = [...code.matchAll(/\b(TAPEDECK_\w+)=/g)].map(([, name = ""]) => name)
    expect(output).toMatch(/^public_url /m)
    return names.filter((name) => !new RegExp(` ${name}$`, "m").test(output))
  })
  expect((await Promise.all(outputs)).flat()).toEqual([])
  expect(blocks.length).toBeGreaterThan(8)
})
