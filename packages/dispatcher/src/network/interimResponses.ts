import type { Socket } from "node:net"
import { maxHeaderBytes } from "./stages.ts"

/** Maximum number of interim (1xx) responses before the answer. A receiver could send them without end; none is stored. */
export const maxInterimResponses = 16

const interim = /^HTTP\/1\.[01] (1\d\d)[ \r]/
const longestStart = "HTTP/1.1 100 ".length

/**
 * The socket, without the heads of `100 Continue` in what is read from it. A receiver may send one that was not asked for (RFC 9110,
 * 15.2), and undici closes the connection then. Heads of responses are looked for only from a write to the first byte of the answer:
 * a connection has one request at a time, and a body may contain anything.
 */
export const withoutContinue = (socket: Socket): Socket => {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...input: ReadonlyArray<unknown>) => boolean
  let isBeforeAnswer = true
  let skipped = 0
  let held: Buffer = Buffer.alloc(0)

  /** What undici gets of these bytes. The beginning of a head that may be a `100 Continue` is held until the rest of it was read. */
  const passed = (bytes: Buffer): Buffer => {
    const parts: Array<Buffer> = []
    let rest = bytes
    while (rest.length > 0) {
      const start = rest.toString("latin1", 0, longestStart)
      const status = interim.exec(start)?.[1]
      if (status === undefined && (start.length === longestStart || !isStart(start))) return answer(parts, rest)
      const end = rest.indexOf("\r\n\r\n")
      if (end < 0) {
        if (rest.length > maxHeaderBytes) return answer(parts, rest)
        held = rest
        break
      }
      // One more than the maximum goes to undici, which ends the connection.
      if (status !== "100" || ++skipped > maxInterimResponses) parts.push(rest.subarray(0, end + 4))
      rest = rest.subarray(end + 4)
    }
    return Buffer.concat(parts)
  }

  const answer = (parts: Array<Buffer>, rest: Buffer): Buffer => {
    isBeforeAnswer = false
    return parts.length === 0 ? rest : Buffer.concat([...parts, rest])
  }

  socket.write = (...input: ReadonlyArray<unknown>) => {
    isBeforeAnswer = true
    skipped = 0
    return write(...input)
  }
  socket.read = (size?: number) => {
    for (;;) {
      const bytes = read(size) as Buffer | null
      if (bytes === null || !isBeforeAnswer) return bytes
      const whole = held.length === 0 ? bytes : Buffer.concat([held, bytes])
      held = Buffer.alloc(0)
      const left = passed(whole)
      if (left.length > 0) return left
    }
  }
  return socket
}

/** Whether a shorter text may become the first line of an interim response. */
const isStart = (text: string): boolean => interim.test(text + "HTTP/1.1 100 ".slice(text.length))
