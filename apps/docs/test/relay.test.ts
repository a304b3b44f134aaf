import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { RelayedRequest } from "../src/page/messages.ts"
import { relay } from "../src/page/relay.ts"

const site = "https://pages.test/tapedeck/"
const scope = `${site}emulator/`

interface FetchEvent {
  readonly request: Request
  readonly respondWith: (response: Promise<Response>) => void
}

/** A window, and what it does with a request. */
interface Window {
  readonly url: string
  readonly postMessage: (request: RelayedRequest, ports: [MessagePort]) => void
}

const listeners = new Map<string, (event: FetchEvent) => void>()
let windows: ReadonlyArray<Window> = []
/** Port of the last request that a page got. */
let sent: MessagePort | undefined

beforeEach(async () => {
  sent = undefined
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  vi.stubGlobal("registration", { scope })
  vi.stubGlobal("clients", { matchAll: async () => windows })
  vi.stubGlobal("addEventListener", (name: string, listener: (event: FetchEvent) => void) =>
    listeners.set(name, listener)
  )
  await import("../src/page/serviceWorker.ts")
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The response of the service worker to the console. */
const fetched = (): Promise<Response> =>
  new Promise((resolve) =>
    listeners.get("fetch")?.({ request: new Request(`${scope}worlds/w1/api/v2/folders`), respondWith: resolve })
  )

const pageWith = (answer: () => Promise<Response>): Window => ({
  url: `${site}webhooks-without-waiting/`,
  postMessage: (_, [port]) => {
    sent = port
    void relay(port, answer)
  }
})

/** The port of the page that has taken the request. */
const taken = async (): Promise<MessagePort> => {
  while (sent === undefined || vi.getTimerCount() > 0) await new Promise(setImmediate)
  return sent
}

test("a response reaches the console in chunks, and ends when it is cancelled", async () => {
  const cancelled = Promise.withResolvers<void>()
  let count = 0
  const events = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => controller.enqueue(new TextEncoder().encode(`${count++}`)),
      cancel: () => cancelled.resolve()
    },
    { highWaterMark: 0 }
  )
  windows = [pageWith(async () => new Response(events, { status: 202, headers: { "x-own": "a" } }))]
  const response = await fetched()
  expect([response.status, response.headers.get("x-own")]).toEqual([202, "a"])
  const reader = response.body!.getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  expect([await read(), await read()]).toEqual(["0", "1"])
  await reader.cancel()
  await cancelled.promise
  expect(count).toBe(2)
})

test("a response without a body, and one of one chunk, are whole", async () => {
  windows = [pageWith(async () => new Response(null, { status: 204 }))]
  expect((await fetched()).status).toBe(204)
  windows = [pageWith(async () => new Response("text"))]
  expect(await (await fetched()).text()).toBe("text")
})

test("a connection that a fault resets is an error of the network", async () => {
  windows = [pageWith(() => Promise.reject(new TypeError("fetch failed")))]
  expect((await fetched()).type).toBe("error")
  const broken = new ReadableStream({ pull: () => Promise.reject(new TypeError("reset")) })
  windows = [pageWith(async () => new Response(broken))]
  await expect((await fetched()).text()).rejects.toThrow("The world ended the response")
})

test("an answer may take longer than a page may take to accept the request", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  windows = [pageWith(() => promise)]
  const response = fetched()
  await taken()
  await vi.advanceTimersByTimeAsync(60_000)
  resolve(new Response("late"))
  expect(await (await response).text()).toBe("late")
})

test("a page that closes ends its response", async () => {
  windows = [pageWith(() => new Promise(() => {}))]
  const response = fetched()
  const port = await taken()
  port.close()
  expect((await response).type).toBe("error")
})

test("without a page of the site that takes the request, the answer names the time-out; other sites' windows get none", async () => {
  const others = ["https://pages.test/other/", "https://pages.test/", "https://pages.test/tapedeck-2/"]
  const own = vi.fn()
  const theirs = vi.fn()
  windows = [...others.map((url) => ({ url, postMessage: theirs })), { url: `${site}start/`, postMessage: own }]
  const response = fetched()
  await vi.advanceTimersByTimeAsync(10_000)
  expect((await response).status).toBe(503)
  expect(await (await response).text()).toContain("within 10 s")
  expect([own.mock.calls.length, theirs.mock.calls.length]).toEqual([1, 0])
})
