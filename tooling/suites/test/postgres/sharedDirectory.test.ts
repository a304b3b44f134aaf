import { once } from "node:events"
import { chmod, readdir, rm } from "node:fs/promises"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startPostgres, type TestDatabases } from "../../src/postgres/index.ts"
import { serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"
import { serve, tapedeck } from "../../src/support/tapedeck.ts"

let postgres: TestDatabases
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

const [transcoded, resumed, streamed] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`)

/** Begins like a WebM file, which is enough for the server to take it for a video. */
const video = Buffer.alloc(100_000, 7)
Buffer.from(
  "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701000000000049b5",
  "hex"
).copy(video)
const half = video.length / 2

/** An ffmpeg whose conversions wait, and then need the bytes that they were given. */
const waitingFfmpeg = async () => {
  const folder = await temporaryFolder()
  const gate = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1")
  await once(gate, "listening")
  onTestFinished(async () => {
    gate.close()
    await folder.remove()
  })
  // Only the first conversion waits.
  const waiting = once(gate, "connection").then(([socket]) => {
    gate.on("connection", (later: Socket) => later.end())
    return socket as Socket
  })
  const { port } = gate.address() as AddressInfo
  const program = async (name: string, body: string) => {
    const path = await folder.write(name, `#!${process.execPath}\nconst args = process.argv.slice(2)\n${body}\n`)
    await chmod(path, 0o755)
    return path
  }
  const streams = [{ codec_type: "video", codec_name: "vp8" }, { codec_type: "audio" }]
  const probe = JSON.stringify({ format: { format_name: "matroska,webm", duration: "61.4" }, streams })
  await program("ffprobe", `process.stdout.write(${JSON.stringify(probe)})`)
  const ffmpeg = await program(
    "ffmpeg",
    `const fs = require("node:fs")
    const make = () => fs.writeFileSync(args.at(-1), "made of " + fs.readFileSync(args[args.indexOf("-i") + 1]).length)
    if (args[0] === "-version") process.exit()
    if (!args.at(-1).endsWith(".mp4")) make()
    else require("node:net").connect(${port}, "127.0.0.1").resume().on("end", () => { make(); process.exit() })`
  )
  return { ffmpeg, waiting }
}

test("two servers on one data directory: one transcodes and receives uploads while the other starts and stops", async () => {
  const { url } = await postgres.createDatabase()
  const folder = await temporaryFolder()
  const users = [{ name: "Ada", email: "ada@acme.test", role: "admin", token: "ada-token" }]
  const recordings = [transcoded, resumed, streamed].map((uuid) => ({ uuid, user: "ada@acme.test" }))
  const fixtures = await folder.write("fixtures.json", JSON.stringify({ users, recordings }))
  const data = join(folder.path, "data")
  const { ffmpeg, waiting } = await waitingFfmpeg()
  const args = ["serve", "--data", data, "--port", "0", "--fixtures", fixtures, "--ffmpeg", ffmpeg, "--json"]
  const start = () => startProcess<{ base_url: string }>(serverMain, args, { TAPEDECK_DATABASE_URL: url })
  const first = await start()
  onTestFinished(async () => {
    await first.stop()
    await folder.remove()
  })
  const ask = (method: string, path: string, init: RequestInit & { readonly duplex?: "half" } = {}) =>
    fetch(`${first.ready.base_url}${path}`, {
      ...init,
      method,
      headers: { authorization: "Bearer ada-token", ...(init.headers as Record<string, string>) }
    })
  const settings = (uuid?: string) => `/api/settings/recordings/${uuid}`
  const webm = { "content-type": "video/webm" }

  expect((await ask("PUT", `${settings(transcoded)}/video`, { body: video, headers: webm })).status).toBe(200)
  const conversion = await waiting

  const tus = { "tus-resumable": "1.0.0" }
  const patch = (offset: number) => ({
    headers: { ...tus, "upload-offset": String(offset), "content-type": "application/offset+octet-stream" },
    body: offset === 0 ? video.subarray(0, half) : video.subarray(offset)
  })
  const begun = await ask("POST", `${settings(resumed)}/uploads`, {
    headers: { ...tus, "upload-length": String(video.length) }
  })
  const upload = begun.headers.get("location") ?? ""
  expect((await ask("PATCH", upload, patch(0))).status).toBe(204)

  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const put = ask("PUT", `${settings(streamed)}/video`, { body: readable, headers: webm, duplex: "half" })
  await writer.write(video.subarray(0, half))
  while (!(await readdir(join(data, "tmp"), { recursive: true })).some((name) => name.endsWith(".part"))) {
    await ask("GET", "/healthz")
  }

  const second = await start()
  expect((await fetch(`${second.ready.base_url}/healthz`)).status).toBe(200)
  await second.stop()

  await writer.write(video.subarray(half))
  await writer.close()
  expect((await put).status).toBe(200)
  const head = await ask("HEAD", upload, { headers: tus })
  expect(head.headers.get("upload-offset")).toBe(String(half))
  expect((await ask("PATCH", upload, patch(half))).status).toBe(204)
  for (const uuid of [resumed, streamed]) {
    const download = await ask("GET", `${settings(uuid)}/video`)
    expect(Buffer.from(await download.arrayBuffer()).equals(video)).toBe(true)
  }

  conversion.end()
  for (let processed: unknown = null; processed === null; ) {
    const shown = (await (await ask("GET", settings(transcoded))).json()) as { video: { processed: unknown } }
    processed = shown.video.processed
  }
  expect(await (await ask("GET", `${settings(transcoded)}/video`)).text()).toBe(`made of ${video.length}`)
})

test("a copy of the database does not start on the original's directory, whose files it would remove, before that is let go", async () => {
  const original = await postgres.createDatabase()
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const environment = ({ url }: { readonly url: string }) => ({
    TAPEDECK_DATABASE_URL: url,
    TAPEDECK_DATA: join(folder.path, "data")
  })
  const first = await serve(environment(original), "--demo")
  await first.stop()
  const copy = await postgres.createDatabase({ template: original.name })
  const refused = async (database: { readonly url: string }) => {
    const { code, err } = await tapedeck(environment(database), "serve", "--port", "0")
    expect([code, err]).toEqual([5, expect.stringContaining("the files here belong to another installation, or to")])
    const [, mark = ""] = / remove (\/\S+\/tapedeck\.json)/.exec(err) ?? []
    return mark
  }
  const mark = await refused(copy)
  await rm(mark)
  const second = await serve(environment(copy))
  await second.stop()
  expect(await refused(original)).toBe(mark)
})
