/**
 * The load: a process of its own, so that the server under test has a core to itself. It speaks HTTP/1.1 over raw
 * sockets, because a client library would cost more than the servers do. Told over IPC what to send; answers what came back.
 */
import { connect } from "node:net"
import type { LoadOrder, LoadReport } from "./Load.ts"

const run = ({ connections, forMs, port, requests }: LoadOrder): Promise<LoadReport> =>
  new Promise((resolve, reject) => {
    const texts = requests.map((request) => Buffer.from(request, "latin1"))
    let sent = 0
    let answered = 0
    let bytes = 0
    let open = connections
    let ending = false
    const startedAt = performance.now()
    let endedAt = startedAt
    const timer = setTimeout(() => {
      ending = true
      endedAt = performance.now()
    }, forMs)

    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }

    for (let index = 0; index < connections; index++) {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true })
      const next = () => {
        if (ending) return socket.end()
        socket.write(texts[sent++ % texts.length]!)
      }
      let missing = 0
      socket.on("connect", next)
      socket.on("data", (piece) => {
        bytes += piece.length
        if (missing > 0) {
          missing -= piece.length
        } else {
          const head = readHead(piece)
          if (head === null)
            return fail(new Error(`an answer that the bench cannot read: ${piece.toString("latin1", 0, 200)}`))
          missing = head.contentLength + head.length - piece.length
        }
        if (missing < 0) return fail(new Error("an answer is longer than its Content-Length"))
        if (missing > 0) return
        if (!ending) answered++
        next()
      })
      socket.on("error", fail)
      socket.on("close", () => {
        open--
        if (!ending) fail(new Error("the server hung up"))
        else if (open === 0) resolve({ answered, bytes, elapsedMs: endedAt - startedAt })
      })
    }
  })

/** Status line and headers; null for anything but a whole head of a 200 with a length. */
const readHead = (piece: Buffer): { readonly length: number; readonly contentLength: number } | null => {
  const end = piece.indexOf("\r\n\r\n")
  if (end === -1) return null
  const text = piece.toString("latin1", 0, end)
  const contentLength = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  return text.startsWith("HTTP/1.1 200 ") && contentLength !== undefined
    ? { length: end + 4, contentLength: Number(contentLength) }
    : null
}

process.on("message", (order: LoadOrder) => {
  run(order).then(
    (report) => process.send!(report),
    (error: Error) => process.send!({ error: error.message })
  )
})
