/** A receiver on loopback that answers every POST with 200 and prints its port. `GET` returns the number of requests. */
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { cert, key } from "@tapedeck/suites/certificate"
import type { Received } from "./received.ts"

let received = 0
let lastAtNs = 0n

const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume()
  if (request.method === "GET") {
    const told: Received = { received, lastAtNs: String(lastAtNs) }
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(told)))
    return
  }
  lastAtNs = process.hrtime.bigint()
  received++
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}'))
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
