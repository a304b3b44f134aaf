import type { Socket } from "node:net"
import { maxHeaderBytes } from "./stages.ts"

/** Maximum number of interim (1xx) responses before the answer. A receiver could send them without end; none is stored. */
export const maxInterimResponses = 16

const interim = /^HTTP\/1\.[01] (1\d\d)[ \r]/
const maxStartLength = "HTTP/1.1 100 ".length

/**
 * Removes `100 Continue` responses from the data that is read from a socket. A receiver may send one without a request for it (RFC 9110,
 * 15.2), for which undici would close the connection. They are searched only between a write and the first byte of the response, because a
 * connection has one request at a time, and a body can contain any bytes.
 */
export const withoutContinue = (socket: Socket): Socket => {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...input: ReadonlyArray<unknown>) => boolean
  let isBeforeAnswer = true
  let skipped = 0
  let held: Buffer = Buffer.alloc(0)

  /** Returns the bytes for undici. The start of a possible `100 Continue` is held until the rest of it was read. */
  const passed = (bytes: Buffer): Buffer => {
    const parts: Array<Buffer> = []
    let rest = bytes
    while (rest.length > 0) {
      const start = rest.toString("latin1", 0, maxStartLength)
      const status = interim.exec(start)?.[1]
      if (status === undefined && (start.length === maxStartLength || !isStart(start))) return answer(parts, rest)
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

/** Returns whether a text can be the start of an interim response's first line. */
const isStart = (text: string): boolean => interim.test(text + "HTTP/1.1 100 ".slice(text.length))
