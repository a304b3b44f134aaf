import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { Scripts } from "./scripts.ts"

/** What arrived from a script, under the first part of its path. */
export interface Sent {
  bytes: number
  /** Paths of its requests. */
  readonly paths: Array<string>
  /** Events of kind `console` in Tapedeck's log. */
  consoleEvents: number
}

/** A page that logs, changes, sends and fails on each click; the same for all. */
const pageOf = (script: string) => `<!doctype html><meta charset="utf-8"><title>Shop</title>${script}
<button style="position:fixed;top:0;left:0;width:200px;height:100px">Pay now</button>
<ul style="margin-top:120px">${"<li>Item</li>".repeat(100)}</ul><script>
const rows = [...document.querySelectorAll("li")]
let step = 0
document.querySelector("button").addEventListener("click", async () => {
  const now = ++step
  for (let line = 0; line < 5; line++) console.log("step", now, { line, cart: { items: [now, line], customer: "Kim" } })
  for (let row = 0; row < 20; row++) rows[(now * 20 + row) % rows.length].textContent = "Item " + now + ", " + row
  if (now % 10 === 0) setTimeout(() => { throw new Error("step " + now + " failed") })
  await (await fetch("/echo?step=" + now, { method: "POST", body: JSON.stringify({ now, cart: rows.length }) })).json()
})
function burst(count) {
  for (let event = 0; event < count; event++) console.log("event", event, { cart: { items: [event], customer: "Kim" } })
}
</script>`

/** Answers the page's pings as the recorder's window does, as if it were recording. */
const recorderPage = `<!doctype html><meta charset="utf-8"><title>Recorder</title><script>
const key = "bench"
const startedAt = Date.now()
const clock = { phase: "recording", at: startedAt, elapsed: 0, startedAt }
const send = (message) => opener.postMessage({ key, ...message }, "*")
addEventListener("message", ({ data }) => {
  if (data?.tapedeck !== "here") return
  send({ tapedeck: "clock", clock })
  if (data.wantsCode) send({ tapedeck: "pair", page: data.page, code: "code", stream: "main", clock, email: null })
})
setInterval(() => send({ tapedeck: "ping" }), 500)
send({ tapedeck: "ping" })
</script>`

const answers: Readonly<Record<string, (origin: string) => unknown>> = {
  "/tapedeck/api/capture/sites/bench": (origin) => ({
    name: "Shop",
    account_name: "Acme",
    origins: [origin],
    redaction: { headers: [], query_parameters: [], selectors: [], body_urls: [] },
    max_duration_seconds: 1_800
  }),
  "/tapedeck/api/capture/pairings": () => ({
    capture_id: "bench",
    log_token: "token",
    logs_url: "/tapedeck/api/capture/captures/bench/logs",
    started_at: new Date().toISOString()
  }),
  "/posthog/array/bench/config": () => ({
    token: "bench",
    hasFeatureFlags: false,
    supportedCompression: ["gzip-js"],
    autocapture_opt_out: false,
    autocaptureExceptions: true,
    capturePerformance: { network_timing: true, web_vitals: false },
    sessionRecording: { endpoint: "/s/", consoleLogRecordingEnabled: true, recorderVersion: "v2" }
  })
}

const tagOf = (name: string, origin: string): string =>
  name === "plain"
    ? ""
    : name === "tapedeck"
      ? `<script src="${origin}/tapedeck/capture.js" data-key="bench" crossorigin></script>`
      : `<script src="${origin}/${name}/script.js" crossorigin></script>`

/**
 * One server on loopback under two origins: `localhost` has the pages, `127.0.0.1` the scripts, and takes what they send. It
 * answers at once and keeps nothing but counts.
 */
export const startSite = async (scripts: Scripts) => {
  const sent = new Map<string, Sent>()
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { port } = server.address() as AddressInfo
    const [path = ""] = (request.url ?? "").split("?")
    const [, name = "", file] = path.split("/")
    response.setHeader("access-control-allow-origin", request.headers.origin ?? "*")
    response.setHeader("access-control-allow-credentials", "true")
    response.setHeader("access-control-max-age", "600")
    response.setHeader("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "*")
    const end = (type: string, body: string) => response.writeHead(200, { "content-type": type }).end(body)
    const body = await buffer(request)
    if (request.method === "OPTIONS") return response.writeHead(204).end()
    if (name === "page") return end("text/html", pageOf(tagOf(file ?? "", `http://127.0.0.1:${port}`)))
    if (name === "echo") return end("application/json", body.toString())
    if (path === "/tapedeck/c/site") return end("text/html", recorderPage)
    if (file === "capture-redactor.js") return end("text/javascript", scripts.redactor)
    if (file === "capture.js" || file === "script.js") return end("text/javascript", scripts[name as keyof Scripts])
    const from = sent.get(name) ?? { bytes: 0, paths: [], consoleEvents: 0 }
    sent.set(name, from)
    from.bytes += body.length
    from.paths.push(path)
    if (path.endsWith("/logs")) {
      from.consoleEvents += body.toString().split('"kind":"console"').length - 1
      return response.writeHead(204).end()
    }
    end("application/json", JSON.stringify(answers[path]?.(`http://localhost:${port}`) ?? { status: 1 }))
  }
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    page: (name: string) => `http://localhost:${port}/page/${name}`,
    /** What came since the last call. */
    take: (name: string): Sent => {
      const taken = sent.get(name) ?? { bytes: 0, paths: [], consoleEvents: 0 }
      sent.delete(name)
      return taken
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
