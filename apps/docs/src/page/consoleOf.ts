import type { RunningWorld } from "@tapedeck/emulator/browser"
import type { RelayedRequest } from "./messages.ts"
import { relay } from "./relay.ts"

const worker = new URL("serviceWorker.js", import.meta.url)
const folder = new URL(".", worker).pathname

/** Whether this browser lets a page have a service worker: on HTTPS and on this machine. */
export const canShowConsole = (): boolean => "serviceWorker" in navigator

/** The document with its addresses below the folder of the service worker. A test of `apps/console` finds addresses of another form. */
const located = (html: string, world: string): string =>
  html
    .replaceAll('="/worlds/', `="${folder}worlds/`)
    .replaceAll('="/_emulator/', `="${folder}worlds/${world}/_emulator/`)

const answerOf = async (world: RunningWorld, request: RelayedRequest): Promise<Response> => {
  const response = await world.fetch(request.target, {
    method: request.method,
    // The origin of this page is the world's own. A request of another is refused, as over HTTP.
    headers: request.headers.flatMap(
      ([name, value]): Array<[string, string]> =>
        name === "origin" && value === location.origin ? [] : [[name, value]]
    ),
    ...(request.body !== null && { body: request.body })
  })
  const headers = new Headers(response.headers)
  // The console is shown inside of this page, and nowhere else.
  const policy = headers.get("content-security-policy")
  if (policy !== null)
    headers.set("content-security-policy", policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"))
  const isText = response.body !== null && response.headers.get("content-type")?.startsWith("text/html")
  const body = isText ? located(await response.text(), world.id) : response.body
  return new Response(body, { status: response.status, headers })
}

/** Registers the service worker, and answers the requests of the world's console. Returns the address of the console. */
export const serveConsole = async (world: RunningWorld, onChange: () => void): Promise<string> => {
  navigator.serviceWorker.addEventListener("message", async ({ data, ports: [port] }: MessageEvent<RelayedRequest>) => {
    if (data.world !== world.id || port === undefined) return
    await relay(port, () => answerOf(world, data))
    if (data.method !== "GET") onChange()
  })
  navigator.serviceWorker.startMessages()
  const registration = await navigator.serviceWorker.register(worker)
  await active(registration)
  return `${folder}worlds/${world.id}/_emulator/ui/deliveries`
}

/** Resolves when the service worker answers requests. The page itself is not below its folder, so `ready` is not about it. */
const active = (registration: ServiceWorkerRegistration): Promise<void> =>
  new Promise((resolve, reject) => {
    const starting = registration.installing ?? registration.waiting
    if (registration.active !== null || starting === null) return resolve()
    starting.addEventListener("statechange", () => {
      if (starting.state === "activated") resolve()
      if (starting.state === "redundant") reject(new Error("the service worker could not start"))
    })
  })
