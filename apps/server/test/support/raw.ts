import { connect, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/** A connection on which a test says what it likes. `closed` gives all that came back, once the other side has ended it. */
export const dial = async (baseUrl: string): Promise<{ readonly socket: Socket; readonly closed: Promise<string> }> => {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let text = ""
  socket.setEncoding("utf8").on("data", (more: string) => {
    text += more
  })
  const closed = new Promise<string>((resolve) => {
    socket.on("error", () => {}) // A reset is an end too.
    socket.once("close", () => resolve(text))
  })
  await new Promise((resolve) => socket.once("connect", resolve))
  return { socket, closed }
}

/** The status lines in what came back. */
export const statuses = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

/** The body of the last answer in it. */
export const lastBody = (text: string): unknown => JSON.parse(text.slice(text.lastIndexOf("\r\n\r\n") + 4))
