/** A receiver on loopback that answers every request with 200 and prints its port. */
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { cert, key } from "./certificate.ts"

const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume()
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}'))
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
