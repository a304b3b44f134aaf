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
      const answer = answerReader()
      socket.on("connect", next)
      socket.on("data", (piece) => {
        bytes += piece.length
        const problem = answer.take(piece)
        if (problem !== null) return fail(new Error(problem))
        if (!answer.isWhole()) return
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

/** Takes the pieces of answers, one after the other; tells what is wrong with a piece, or null. */
const answerReader = () => {
  /** What is still to come; null in an answer that comes in chunks, whose end says so itself. */
  let missing: number | null = 0
  let whole = true
  const take = (piece: Buffer): string | null => {
    if (whole) {
      const head = readHead(piece)
      if (head === null) return `an answer that the bench cannot read: ${piece.toString("latin1", 0, 200)}`
      missing = head.contentLength === null ? null : head.contentLength + head.length - piece.length
    } else if (missing !== null) missing -= piece.length
    if (missing !== null && missing < 0) return "an answer is longer than its Content-Length"
    whole = missing === null ? piece.toString("latin1", Math.max(0, piece.length - 5)) === "0\r\n\r\n" : missing === 0
    return null
  }
  return { take, isWhole: () => whole }
}

/** Status line and headers; null for anything but a whole head of a 200 with a length, or one in chunks. */
const readHead = (piece: Buffer): { readonly length: number; readonly contentLength: number | null } | null => {
  const end = piece.indexOf("\r\n\r\n")
  if (end === -1) return null
  const text = piece.toString("latin1", 0, end)
  const contentLength = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(text)
  if (!text.startsWith("HTTP/1.1 200 ") || (contentLength === undefined && !chunked)) return null
  return { length: end + 4, contentLength: contentLength === undefined ? null : Number(contentLength) }
}

process.on("message", (order: LoadOrder) => {
  run(order).then(
    (report) => process.send!(report),
    (error: Error) => process.send!({ error: error.message })
  )
})
