import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Tapedeck } from "@tapedeck/client"
import { type RunningEmulator, startEmulator } from "@tapedeck/emulator"
import { readFences } from "@tapedeck/tsconfig/fences.ts"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { acme, ada, uuid } from "../../src/support/acme.ts"
import { Server } from "../../src/support/server.ts"
import { webm } from "../../src/support/webm.ts"

// Runs each code block of the client's README as it is printed, over HTTP against the emulator; resumable uploads, which only a
// server supports, against a server. A block becomes a module. The names that it does not declare or import are globals.

const packages = join(import.meta.dirname, "../../../../packages")
const blocks = readFences("packages/client/README.md", "ts").map(({ code }) => code)
const hasRun = new Set<string>()

let folder: string
let require: NodeJS.Require
beforeAll(async () => {
  require = installOnDemand(join(packages, "signing/ondemand"))
  folder = await mkdtemp(join(import.meta.dirname, ".client-"))
})
afterAll(() => rm(folder, { recursive: true }))

const log = vi.fn()
beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(log)
  vi.stubEnv("TAPEDECK_TOKEN", ada)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.useRealTimers()
  log.mockClear()
})

const video = webm(2264)
const checkout = {
  uuid: uuid(1),
  title: "Checkout fails",
  helpdesk: { platform: "zendesk", ticket_id: "4711" },
  video: { original: { base64: video.toString("base64"), content_type: "video/webm" } },
  transcript: { legacy: "It does not load" }
}
const others = Array.from({ length: 119 }, (_, n) => ({ uuid: uuid(n + 2), title: `R ${n}` }))
// Lists have the newest first, which is the last one of the fixtures.
const newestFirst = [checkout, ...others]
const fixtures = acme({ recordings: newestFirst.toReversed(), folders: [{ id: "vip", name: "VIP" }] })

const start = async (): Promise<RunningEmulator> => {
  const emulator = await startEmulator({ fixtures })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Runs the one block that has `text`, with a client of the service at `baseUrl` and further globals. Returns its exports. */
const run = async (text: string, baseUrl: string, globals: Readonly<Record<string, unknown>> = {}) => {
  const [block, ...more] = blocks.filter((code) => code.includes(text))
  if (block === undefined || more.length > 0) throw new Error(`not one block of the README has ${text}`)
  hasRun.add(block)
  const given = { tapedeck: new Tapedeck({ baseUrl, token: ada }), uuid: checkout.uuid, token: ada, ...globals }
  for (const [name, value] of Object.entries(given)) vi.stubGlobal(name, value)
  const file = join(folder, `${blocks.indexOf(block)}.ts`)
  // Without an import or export, it would not be a module, which may await.
  await writeFile(file, `${block.replaceAll("https://rec.acme.example", baseUrl)}\nexport {}\n`)
  return (await import(file)) as Readonly<Record<string, unknown>>
}

const linkTo = async ({ url }: RunningEmulator): Promise<string> =>
  (await new Tapedeck({ baseUrl: url, token: ada }).recordings.get(checkout.uuid)).metadata.url

test("the client README's quick start lists, reads and updates recordings", async () => {
  const emulator = await start()
  await run("new Tapedeck({", emulator.url)
  expect(log.mock.calls).toEqual([["Checkout fails", await linkTo(emulator)]])
  const updated = await new Tapedeck({ baseUrl: emulator.url, token: ada }).recordings.get(checkout.uuid)
  expect(updated.title).toBe("Paid")
})

test("the client README's lists are read by page and by record", async () => {
  const { url } = await start()
  await run("page.hasNextPage", url)
  expect(log.mock.calls).toEqual([
    [
      others.slice(99).map(({ uuid }) => expect.objectContaining({ uuid })),
      expect.objectContaining({ page: 2 }),
      false
    ],
    [0, "It does not load"]
  ])
})

test("the client README's download reads a whole video and a range of it", async () => {
  const emulator = await start()
  await run("video.range(0, 1023)", emulator.url)
  const { entries } = await emulator.journal.read({ kind: "request" })
  expect(entries).toMatchObject([{ status: 200 }, { status: 206 }])
})

test("the client README's uploads send a file at once, and in parts", async () => {
  const server = new Server("memory")
  onTestFinished(() => server.stop())
  const { baseUrl } = await server.start(fixtures)
  const keep = vi.fn()
  const blob = new Blob([new Uint8Array(webm(4000))])
  await run("uploads.start", baseUrl, { blob, keep })
  expect(JSON.parse(keep.mock.calls[0]?.[0])).toMatchObject({ recording_uuid: checkout.uuid, size_bytes: blob.size })
  const download = await new Tapedeck({ baseUrl, token: ada }).recordings.download(checkout.uuid)
  expect(Buffer.from(await download.bytes())).toEqual(webm(4000))
})

test("the client README's error handling tells a missing recording from a refusal", async () => {
  const { url } = await start()
  const error = vi.spyOn(console, "error").mockImplementation(() => {})
  await run("There is no such recording", url, { uuid: uuid(999) })
  expect(error.mock.calls).toEqual([["There is no such recording"]])
})

test("the client README's call with a time-out and the raw response runs", async () => {
  const emulator = await start()
  await run("withResponse()", emulator.url)
  expect((await emulator.journal.read({ kind: "request" })).entries).toMatchObject([{ status: 200 }])
})

test("the client README's Effects stream recordings and catch errors by tag", async () => {
  const { url } = await start()
  await run("@tapedeck/client/effect", url)
  expect(log.mock.calls).toEqual([["Checkout fails"]])
})

/** Aborts a block that reads changes, which ends it. */
const reading = (): AbortController => {
  const reader = new AbortController()
  onTestFinished(() => reader.abort())
  return reader
}

test("the client README's changes have the ids of changed recordings", async () => {
  const { url } = await start()
  const { signal } = reading()
  const said = new Promise((resolve) => log.mockImplementationOnce((...line) => resolve(line)))
  const client = new Tapedeck({ baseUrl: url, token: ada })
  const isOpen = Promise.withResolvers<void>()
  const tapedeck = new Tapedeck({ baseUrl: url, token: ada, onResponse: () => isOpen.resolve() })
  const running = run("onOffline", url, { signal, tapedeck })
  await Promise.race([isOpen.promise, running])
  await client.recordings.update(checkout.uuid, { title: "Paid" })
  expect(await Promise.race([said, running])).toEqual(["changed:", checkout.uuid])
})

test("the client README's recipe keeps a mirror up to date, with transcripts that become ready and deleted recordings", async () => {
  const { url } = await start()
  const { signal } = reading()
  const client = new Tapedeck({ baseUrl: url, token: ada })
  const calls: Array<string> = []
  let onCall = () => {}
  const noted = (text: string) => {
    calls.push(text)
    onCall()
  }
  type Row = { readonly title: string; readonly transcript_status: string }
  // A place that the service does not know.
  let place = "WyJyZWNvcmRpbmcgY2hhbmdlcyIsIngiLCJ4IiwxLDAsMCwtMSwwLDBd"
  const warehouse = {
    loadPlace: async () => place,
    savePlace: async (next: string) => {
      place = next
    },
    clear: async () => noted("cleared"),
    upsert: async (uuid: string, { title, transcript_status }: Row) => noted(`${uuid} ${title} ${transcript_status}`),
    delete: async (uuid: string) => noted(`${uuid} deleted`)
  }
  const running = run("recordingChanges", url, { signal, warehouse })
  const until = (pattern: RegExp) => {
    const called = new Promise<void>((resolve) => {
      onCall = () => calls.some((call) => pattern.test(call)) && resolve()
      onCall()
    })
    return Promise.race([called, running])
  }
  const [oldest] = newestFirst.slice(-1)
  for (const { uuid } of newestFirst) await until(new RegExp(uuid))
  expect(calls[0]).toBe("cleared")
  expect(calls).toHaveLength(1 + newestFirst.length)

  await client.recordings.update(checkout.uuid, { title: "Paid" })
  await until(new RegExp(`${checkout.uuid} Paid`))
  await client.settings.transcripts.import(oldest!.uuid, "It does not load", { contentType: "text/plain" })
  await until(new RegExp(`${oldest!.uuid} .* ready`))
  await client.settings.recordings.delete(oldest!.uuid)
  await until(new RegExp(`${oldest!.uuid} deleted`))
})

test("the client README's recipe mirrors all recordings into a warehouse", async () => {
  const { url } = await start()
  const rows = new Map<string, { readonly title: string }>()
  await run("// All recordings", url, { warehouse: { upsert: async (key: string, row: never) => rows.set(key, row) } })
  expect([...rows].map(([key, { title }]) => [key, title])).toEqual(newestFirst.map(({ title, uuid }) => [uuid, title]))
})

test("the client README's recipe attaches a ticket's recordings to the ticket", async () => {
  const emulator = await start()
  const comment = vi.fn()
  await run("ticket.comment", emulator.url, { ticket: { id: "4711", comment } })
  expect(comment.mock.calls).toEqual([[`Checkout fails: ${await linkTo(emulator)}`]])
})

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const added = {
  event: "recording.added_to_folder",
  recording: expect.objectContaining({ id: checkout.uuid, title: "Checkout fails" }),
  folder: { id: "vip", name: "VIP" }
}

/** Fires the folder's automation at a receiver or a sink, and sets the machine's clock to the time of the webhook. */
const fire = async (emulator: RunningEmulator, url: string) => {
  await emulator.fixtures({ automations: [{ id: "hook", folder: "vip", url, secret }] })
  await emulator.addToFolder("vip", checkout.uuid)
  vi.setSystemTime(emulator.clock.now())
  await emulator.clock.advance({ by: 0 })
}

test("the client README's webhook is verified and typed", async () => {
  const emulator = await start()
  await emulator.sinks.create({ id: "crm", respond: [200] })
  await fire(emulator, "sink:crm")
  const [received] = (await emulator.sinks.get("crm")).requests
  await run('"recording" in event', emulator.url, { ...received, secret })
  expect(log.mock.calls).toEqual([["Checkout fails", "VIP"]])
})

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once("listening", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

type Handler = (request: Request) => Promise<Response>

const frameworks: ReadonlyArray<{
  readonly name: string
  readonly text: string
  readonly open: (load: (globals: object) => Promise<Readonly<Record<string, unknown>>>) => Promise<RequestListener>
}> = [
  {
    name: "Express 5",
    text: "// Express 5",
    open: async (load) => {
      const express = require("express")
      const app = express()
      await load({ app, express })
      return app
    }
  },
  {
    name: "Hono",
    text: "// Hono",
    open: async (load) => {
      const { Hono } = require("hono")
      const hono = new Hono()
      await load({ hono })
      return require("@hono/node-server").getRequestListener(hono.fetch)
    }
  },
  {
    // A function from Request to Response: @tapedeck/signing runs one in Next.js itself.
    name: "a route handler of Next.js",
    text: "// Next.js",
    open: async (load) => {
      const { POST } = await load({})
      return require("@hono/node-server").getRequestListener(POST as Handler)
    }
  }
]

test.each(frameworks)("the client README's recipe receives a webhook in $name", async ({ open, text }) => {
  vi.spyOn(console, "error").mockImplementation(() => {})
  const emulator = await start()
  const work = vi.fn()
  const url = await serve(await open((globals) => run(text, emulator.url, { ...globals, secret, work })))
  await fire(emulator, url)
  const [delivery] = await emulator.deliveries()
  expect(delivery).toMatchObject({ state: "delivered", attempts: [{ status_code: 204 }] })
  expect(work.mock.calls).toEqual([[expect.objectContaining(added)]])

  const forged = await fetch(url, { method: "POST", body: "{}", headers: { "x-tapedeck-signature": "0".repeat(64) } })
  expect(forged.status).toBe(500)
  expect(work).toHaveBeenCalledOnce()
})

test("every code block of the client's README is run", () => {
  expect(blocks.filter((code) => !hasRun.has(code))).toEqual([])
})
