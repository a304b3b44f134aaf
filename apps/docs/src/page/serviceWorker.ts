/**
 * Answers requests for `worlds/{id}/…` below its folder with the world of a page. The page keeps the world, because browsers end a
 * service worker when it is idle.
 */
import type { PageMessage, RelayedRequest, WorkerMessage } from "./messages.ts"

interface ExtendableEvent extends Event {
  readonly waitUntil: (promise: Promise<unknown>) => void
}

interface FetchEvent extends Event {
  readonly request: Request
  readonly respondWith: (response: Promise<Response>) => void
}

interface Client {
  readonly url: string
  readonly postMessage: (message: unknown, transfer: ReadonlyArray<Transferable>) => void
}

interface Scope {
  readonly registration: { readonly scope: string }
  readonly skipWaiting: () => Promise<void>
  readonly clients: {
    readonly claim: () => Promise<void>
    readonly matchAll: (options: {
      readonly includeUncontrolled: boolean
      readonly type: "window"
    }) => Promise<ReadonlyArray<Client>>
  }
  addEventListener(name: "activate" | "install", listener: (event: ExtendableEvent) => void): void
  addEventListener(name: "fetch", listener: (event: FetchEvent) => void): void
}

const scope = globalThis as unknown as Scope

/** Wall time in which a page must take a request. */
const timeoutMs = 10_000

const gone = `<!doctype html><title>Console</title><p>No page with this world took the request within ${timeoutMs / 1000} s. The page is closed, or busy.</p>`

/** Windows of this site. On a shared origin, those of other projects get no request. */
const siteWindows = async (): Promise<ReadonlyArray<Client>> => {
  const site = new URL("..", scope.registration.scope).href
  const windows = await scope.clients.matchAll({ includeUncontrolled: true, type: "window" })
  return windows.filter(({ url }) => url.startsWith(site))
}

/** Sends a request to the windows. Resolves with the port of the page that takes it, or null if none does in time. */
const offer = (windows: ReadonlyArray<Client>, request: RelayedRequest): Promise<MessagePort | null> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), timeoutMs)
    for (const client of windows) {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        clearTimeout(timer)
        resolve(port1)
      }
      client.postMessage(request, [port2])
    }
  })

const nextOf = (port: MessagePort): Promise<PageMessage> =>
  new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data)
  })

const bodyOf = (port: MessagePort): ReadableStream<Uint8Array> => {
  const send = (message: WorkerMessage) => port.postMessage(message)
  return new ReadableStream(
    {
      pull: async (controller) => {
        send("pull")
        const message = await nextOf(port)
        if (message.kind === "chunk") controller.enqueue(message.chunk)
        else if (message.kind === "end") controller.close()
        else controller.error(new TypeError("The world ended the response"))
      },
      cancel: () => send("cancel")
    },
    { highWaterMark: 0 }
  )
}

const answer = async (world: string, target: string, request: Request): Promise<Response> => {
  const port = await offer(await siteWindows(), {
    world,
    target,
    method: request.method,
    headers: [...request.headers, ["referer", request.referrer]],
    body: request.method === "GET" || request.method === "HEAD" ? null : await request.arrayBuffer()
  })
  if (port === null) return new Response(gone, { status: 503, headers: { "content-type": "text/html" } })
  // Browsers that report that a page is closed end its responses.
  const failed: PageMessage = { kind: "failed" }
  port.addEventListener("close", () => port.dispatchEvent(new MessageEvent("message", { data: failed })))
  const head = await nextOf(port)
  if (head.kind !== "head") return Response.error()
  const headers = head.headers.map(([name, value]): [string, string] => [name, value])
  return new Response(head.hasBody ? bodyOf(port) : null, { status: head.status, headers })
}

scope.addEventListener("install", (event) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener("fetch", (event) => {
  const { origin, pathname, search } = new URL(event.request.url)
  const folder = new URL(scope.registration.scope)
  if (origin !== folder.origin || !pathname.startsWith(folder.pathname)) return
  const target = pathname.slice(folder.pathname.length - 1)
  const world = /^\/worlds\/([^/]+)\//.exec(target)?.[1]
  if (world !== undefined) event.respondWith(answer(world, target + search, event.request))
})
