/** The list on node:http and JSON.stringify. `node node.ts DATA` prints its port. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { nextRequestId, openRecordings } from "./recordings.ts"

const { authenticate, list, retitle } = openRecordings(process.argv[2]!)

const send = (response: ServerResponse, status: number, body: unknown) => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "x-request-id": nextRequestId()
  })
  response.end(text)
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += piece
  return text
}

const root = "/api/v2/recordings"

const server = createServer((request, response) => {
  const url = request.url!
  const queryAt = url.indexOf("?")
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  const caller = authenticate(request.headers.authorization)
  if (caller === undefined) return send(response, 401, { error: "unauthorized" })
  if (request.method === "GET" && path === root) {
    const page = queryAt === -1 ? 1 : Number(new URLSearchParams(url.slice(queryAt + 1)).get("page") ?? "1")
    if (!Number.isSafeInteger(page) || page < 1) return send(response, 400, { error: "page" })
    return send(response, 200, list(caller, page))
  }
  if (request.method === "PATCH" && path.startsWith(`${root}/`) && caller.role === "admin") {
    void readBody(request).then((text) => {
      const changed = retitle(
        path.slice(root.length + 1),
        (JSON.parse(text) as { readonly recording: { readonly title: string } }).recording.title
      )
      send(response, changed === undefined ? 404 : 200, changed ?? { error: "not found" })
    })
    return
  }
  send(response, 404, { error: "not found" })
})

server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
