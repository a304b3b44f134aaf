import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { readLogLines } from "@tapedeck/domain/capture"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { Result } from "effect"
import { documents } from "./pages/documents.ts"
import { environments } from "./pages/environments.ts"
import { libraries } from "./pages/libraries.ts"
import type { Page } from "./pages/page.ts"
import { requests } from "./pages/requests.ts"
import { values } from "./pages/values.ts"

export const groups: Readonly<Record<string, ReadonlyArray<Page>>> = {
  values,
  documents,
  requests,
  environments,
  libraries
}
const pages = Object.values(groups).flat()

const consoleFolder = join(import.meta.dirname, "../..")
const key = "corpus"

/** Runs before all else in the page: keeps what `frameOf` needs of the browser, because pages replace it. */
const prelude = "window.kept = { apply: Reflect.apply, stringify: JSON.stringify }"

/** Runs in the page, as text: runs its script when it is told to, and sends what that has seen. */
const frameOf = ({ name, script }: Page) => `(() => {
  const { kept: { apply, stringify }, setTimeout, parent } = window, say = console.log
  const seen = []
  const see = (...values) => void (seen[seen.length] = stringify(values))
  const errors = ({ message }) => see("error", message)
  addEventListener("error", errors)
  addEventListener("unhandledrejection", ({ reason }) => see("rejection", typeof reason))
  const until = async (isSo) => {
    for (let tries = 0; tries < 1_000 && !isSo(); tries++) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const run = async () => {
    try { await (${script.toString()})(see, until) } catch (error) { see("thrown", error.message) }
    setTimeout(() => {
      apply(say, console, ["the end of ${name}"])
      parent.postMessage({ done: true, seen }, "*")
    }, 50)
  }
  addEventListener("message", ({ data }) => {
    if (data === "run") run()
    if (data === "leave") parent.postMessage({ isLeft: true }, "*")
  })
  addEventListener("load", () => parent.postMessage({ isLoaded: true }, "*"))
})()`

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

const listening = async (answer: (request: IncomingMessage, response: ServerResponse) => unknown) => {
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return { server, port }
}

/** The pages on one origin, and on another one a recorder's window and a server that takes logs, which reads lines as the product's. */
export const servePages = async () => {
  installOnDemand(join(consoleFolder, "ondemand"))
  const logs = new Map<string, string>()
  const refused: Array<string> = []
  const bodyOf = (page: Page, withScript: boolean, recorder: string) =>
    [
      "<!doctype html><html><head><meta charset=utf-8><title>Page</title>",
      `<script src="/prelude"></script>`,
      page.first ?? "",
      withScript
        ? `<script src="${recorder}/capture.js" data-key="${key}" data-button="none" crossorigin></script>`
        : "",
      ...(page.libraries ?? []).map((path) => `<script src="/library/${path}"></script>`),
      `</head><body>${page.body ?? ""}<script src="/script/${page.name}"></script></body></html>`
    ].join("\n")
  const site = await listening(async (request, response) => {
    const url = new URL(request.url ?? "", "http://localhost")
    const [, kind, ...rest] = url.pathname.split("/")
    const name = rest.join("/")
    const page = pages.find((each) => each.name === name)
    const send = (type: string, body: string, headers: object = {}) =>
      response.writeHead(200, { "content-type": `${type}; charset=utf-8`, ...headers }).end(body)
    if (kind === "page" && page !== undefined) {
      return send("text/html", bodyOf(page, url.searchParams.has("script"), recorderUrl), page.headers)
    }
    if (kind === "script" && page !== undefined) return send("text/javascript", frameOf(page))
    if (kind === "prelude") return send("text/javascript", prelude)
    if (kind === "library")
      return send("text/javascript", readFileSync(join(consoleFolder, "ondemand/node_modules", name), "utf8"))
    if (kind === "echo") {
      const { headers, method } = request
      return send("application/json", JSON.stringify({ method, headers, body: await text(request) }))
    }
    if (kind === "redirect") return response.writeHead(302, { location: "/echo" }).end()
    if (kind !== "slow") response.writeHead(404).end()
  })
  site.server.on("upgrade", ({ headers }, socket) => {
    const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${magic}`).digest("base64")
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
    )
    socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from("hello"), Buffer.from([0x88, 2, 3, 232])]))
    socket.on("data", ([first = 0]: Buffer) => (first & 15) === 8 && socket.end())
    socket.on("error", () => {})
  })
  const recorder = await listening(async (request, response) => {
    const [path = ""] = (request.url ?? "").split("?")
    response.setHeader("access-control-allow-origin", "*")
    response.setHeader("access-control-allow-headers", "authorization,content-type")
    const json = (value: object, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
    if (request.method === "OPTIONS") return response.writeHead(204).end()
    if (/^\/capture(?:-redactor)?\.js$/.test(path)) {
      return response
        .writeHead(200, { "content-type": "text/javascript" })
        .end(readFileSync(join(consoleFolder, "dist", path)))
    }
    const name = path.split("/").at(-1) ?? ""
    if (path.startsWith("/api/capture/sites/")) {
      const redaction = { headers: [], query_parameters: [], selectors: [], body_urls: ["*"] }
      return json({ name: "Site", account_name: "Acme", origins: [], redaction, max_duration_seconds: 60 })
    }
    if (path === "/api/capture/pairings") {
      const { code } = JSON.parse(await text(request))
      return json({
        capture_id: code,
        log_token: code,
        logs_url: `/api/capture/logs/${code}`,
        started_at: new Date().toISOString()
      })
    }
    if (path.startsWith("/api/capture/logs/")) {
      const lines = await text(request)
      const read = readLogLines(lines)
      if (Result.isFailure(read)) {
        refused.push(`${name}: ${read.failure.message}`)
        return json({ error: read.failure.message, lines: [read.failure.line] }, 400)
      }
      logs.set(name, (logs.get(name) ?? "") + lines)
      return response.writeHead(204).end()
    }
    if (path.startsWith("/ended/")) {
      return response.writeHead(logs.get(name)?.includes(`the end of ${name}`) ? 200 : 202).end()
    }
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Recorder</title>")
  })
  const recorderUrl = `http://127.0.0.1:${recorder.port}`
  return {
    recorderUrl,
    siteUrl: `http://localhost:${site.port}`,
    logs,
    refused,
    close: () => {
      for (const { server } of [site, recorder]) {
        server.closeAllConnections()
        server.close()
      }
    }
  }
}

export interface Visits {
  readonly siteUrl: string
  readonly names: ReadonlyArray<string>
  readonly isCut: Readonly<Record<string, boolean>>
}

/** Runs in the recorder's window: opens each page without and with `capture.js`, records it, and returns what its script has seen. */
export const visitAll = async ({
  isCut,
  names,
  siteUrl
}: Visits): Promise<Record<string, readonly [Array<string>, Array<string>]>> => {
  const started = Date.now()
  const visit = (name: string, withScript: boolean): Promise<Array<string>> =>
    new Promise((resolve) => {
      const frame = document.createElement("iframe")
      frame.src = `${siteUrl}/page/${name}${withScript ? "?script" : ""}`
      const post = (message: unknown) => frame.contentWindow?.postMessage(message, "*")
      let isRunning = false
      const run = () => {
        if (!isRunning) post("run")
        isRunning = true
      }
      let isLoaded = false
      let hasCode = false
      let hasEnded = false
      let seen: Array<string> = []
      const ping = setInterval(() => isLoaded && post({ tapedeck: "ping", key: "corpus" }), 250)
      const receive = async ({ data, source }: MessageEvent) => {
        if (source !== frame.contentWindow) return
        if (data.isLoaded) {
          isLoaded = true
          if (!withScript || isCut[name]) run()
        } else if (data.done) {
          hasEnded = true
          // A request that waits for an answer would keep a connection from the page.
          while (withScript && !isCut[name] && (await fetch(`/ended/${name}`)).status === 202) {
            await new Promise((resolve) => setTimeout(resolve, 250))
          }
          clearInterval(ping)
          seen = data.seen
          // A page that goes while it is recorded leaves its log to the next one of its tab.
          post({ tapedeck: "clock", key: "corpus", clock: { phase: "stopped", at: 0, elapsed: 0, startedAt: 0 } })
          post("leave")
        } else if (data.isLeft) {
          removeEventListener("message", receive)
          frame.remove()
          resolve(seen)
        } else if (data.tapedeck === "here") {
          // As where the page slept for three hours before this window was opened.
          const at = performance.timeOrigin + performance.now() + 10_800_000
          const clock = { phase: "recording", at, elapsed: Date.now() - started, startedAt: started }
          const about = { key: "corpus", clock }
          post({ tapedeck: "clock", ...about })
          // The page runs while its events are sent.
          if (hasCode && !data.wantsCode) run()
          if (data.wantsCode && !hasCode) {
            hasCode = true
            post({ tapedeck: "pair", ...about, page: data.page, code: name, stream: "main", email: null })
          }
        }
      }
      addEventListener("message", receive)
      document.body.append(frame)
      // A page that hangs is named instead of the whole test.
      setTimeout(() => {
        frame.remove()
        clearInterval(ping)
        resolve([`did not end: ${JSON.stringify({ isLoaded, isRunning, hasCode, hasEnded })}`])
      }, 60_000)
    })
  const seen: Record<string, readonly [Array<string>, Array<string>]> = {}
  const left = [...names]
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      seen[name] = [await visit(name, false), await visit(name, true)]
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return seen
}
