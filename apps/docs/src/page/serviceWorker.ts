/**
 * Answers requests for `worlds/{id}/…` below its folder with the world of a page. The page keeps the world, because browsers end a
 * service worker when it is idle.
 */
import type { RelayedRequest, RelayedResponse } from "./messages.ts"

interface ExtendableEvent extends Event {
  readonly waitUntil: (promise: Promise<unknown>) => void
}

interface FetchEvent extends Event {
  readonly request: Request
  readonly respondWith: (response: Promise<Response>) => void
}

interface Client {
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

/** Wall time in which a page must answer. */
const timeoutMs = 10_000

const gone = "<!doctype html><title>Console</title><p>The page of this world is closed.</p>"

const answer = async (world: string, target: string, request: Request): Promise<Response> => {
  const sent: RelayedRequest = {
    world,
    target,
    method: request.method,
    headers: [...request.headers, ["referer", request.referrer]],
    body: request.method === "GET" || request.method === "HEAD" ? null : await request.arrayBuffer()
  }
  const clients = await scope.clients.matchAll({ includeUncontrolled: true, type: "window" })
  const answered = new Promise<RelayedResponse | null>((resolve) => {
    for (const client of clients) {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }) => resolve(data as RelayedResponse)
      client.postMessage(sent, [port2])
    }
    setTimeout(() => resolve(null), timeoutMs)
  })
  const response = await answered
  if (response === null) return new Response(gone, { status: 503, headers: { "content-type": "text/html" } })
  const headers = response.headers.map(([name, value]): [string, string] => [name, value])
  return new Response(response.body, { status: response.status, headers })
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
