import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** Receivers whose answer depends on their path alone (`/200`, `/500`, `/reset`), and which tell no wall time. */
export const startReceivers = (): Promise<{ readonly url: string; readonly close: () => Promise<void> }> => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const [, answer = ""] = (request.url ?? "").split("/")
      if (answer === "reset") return void request.socket.destroy()
      response.sendDate = false
      response.writeHead(Number(answer), { "x-seen": String(request.method) }).end("seen")
    })
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeAllConnections()
          })
      })
    })
  })
}
