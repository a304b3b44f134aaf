import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { inject, onTestFinished } from "vitest"
import { team } from "./open.ts"

interface World {
  readonly base_url: string
  readonly control_url: string
}

export interface LogLine {
  readonly kind: string
  readonly t: number
  readonly seq: number
  readonly message?: string
  readonly url?: string
  readonly target?: string
  readonly status?: number
  readonly initiator?: string
  readonly reason?: string
  readonly request_body?: string
  readonly response_body?: string
}

const json = async <Answer>(method: string, url: string, body?: unknown, token = ""): Promise<Answer> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/** A web site on loopback whose pages have `capture.js`, under a policy that allows no more than it needs. */
const serveSite = async (recorder: string, script: () => string): Promise<number> => {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? "").split("?")
    if (path === "/fails") return void response.writeHead(503, { "content-type": "text/plain" }).end("out of order")
    if (path === "/echo") {
      response.writeHead(200, { "content-type": request.headers["content-type"] ?? "text/plain" })
      return void request.pipe(response)
    }
    if (path === "/page.js") return void response.writeHead(200, { "content-type": "text/javascript" }).end(pageScript)
    if (path === "/page.css") return void response.writeHead(200, { "content-type": "text/css" }).end(pageStyle)
    if (path === "/missing.png") return void response.writeHead(404).end()
    const { port } = server.address() as AddressInfo
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": [
        "default-src 'none'; img-src 'self'; style-src 'self'",
        `script-src 'self' ${recorder}`,
        `connect-src 'self' ws://a.localhost:${port} ${recorder}`
      ].join("; ")
    })
    response.end(
      `<!doctype html><title>Shop</title><link rel="stylesheet" href="/page.css">${script()}<script src="/page.js"></script>${pageBody}`
    )
  })
  server.on("upgrade", ({ headers }, socket) => {
    const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${magic}`).digest("base64")
    const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    socket.write(`${upgrade}Sec-WebSocket-Accept: ${accept}\r\n\r\n`)
    // One text, then the end.
    socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from("hello"), Buffer.from([0x88, 2, 3, 232])]))
    // Browsers wait 2 s for an end that does not come.
    socket.on("data", ([first = 0]: Buffer) => (first & 15) === 8 && socket.end())
    socket.on("error", () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A page that marks itself, so that a test can compare before and after. */
const pageScript = "console.info('page began', location.hostname)"
const pageStyle =
  "tapedeck-button, * { font-size: 40px !important; opacity: 1 } tapedeck-button { display: none !important }"
const pageBody = `<h1>Shop</h1>
<button id="pay">Pay now</button>
<label>Coupon <input id="coupon"></label>
<input id="password" type="password" aria-label="Password">
<p id="private" data-tapedeck-mask><button id="hidden">Kim's account</button></p>
<p id="own" class="balance">4,711</p>`

/** A world with a site, and the site's pages. */
export const openSite = async (site: object = {}, host = "*") => {
  const world = await json<World>("POST", `${inject("emulator")}/_emulator/worlds`, { fixtures: team })
  const { token } = await json<{ readonly token: string }>("POST", `${world.control_url}/sessions`, {
    user: "ada@acme.test"
  })
  const settings = <Answer>(method: string, path: string, body?: unknown) =>
    json<Answer>(method, `${world.base_url}/api/settings${path}`, body, token)
  let key = ""
  const script = readFence("docs/capture.md", "html").replace("https://tapedeck.example.com", world.base_url)
  const port = await serveSite(new URL(world.base_url).origin, () => script.replace("…", key))
  const made = await settings<{ readonly key: string; readonly id: string }>("POST", "/sites", {
    name: "Shop",
    origins: [`http://${host}.localhost:${port}`],
    folder_id: "bugs",
    ...site
  })
  key = made.key
  const newest = async () => {
    const { records } = await settings<{ readonly records: ReadonlyArray<{ readonly uuid: string }> }>(
      "GET",
      "/recordings?type=Received&sort=-created_at"
    )
    return records[0]!
  }
  return {
    ...{ settings, newest, id: made.id, key, recorder: world.base_url },
    page: (host: string, path = "/") => `http://${host}.localhost:${port}${path}`,
    /** The log of the newest recording. */
    log: async (): Promise<ReadonlyArray<LogLine>> => {
      const headers = { authorization: `Bearer ${token}` }
      const url = `${world.base_url}/api/settings/recordings/${(await newest()).uuid}/log`
      const text = await (await fetch(url, { headers })).text()
      const [, ...lines] = text.trim().split("\n")
      return lines.map((line) => JSON.parse(line) as LogLine)
    }
  }
}
