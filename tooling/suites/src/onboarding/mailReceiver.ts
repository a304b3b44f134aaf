import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"

/** A relay on loopback without TLS, which takes every mail. */
export interface MailReceiver {
  readonly url: string
  /** The text of the first mail, once it has arrived. */
  readonly first: Promise<string>
  readonly close: () => void
}

export const startMailReceiver = async (): Promise<MailReceiver> => {
  const first = Promise.withResolvers<string>()
  const server = createServer((socket) => {
    void receive(socket).then((mail) => mail !== "" && first.resolve(mail), first.reject)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}?starttls=off`, first: first.promise, close: () => void server.close() }
}

/** Answers one connection, and returns the mail that it brought. */
const receive = async (socket: Socket): Promise<string> => {
  socket.write("220 relay.test\r\n")
  const mail: Array<string> = []
  let isData = false
  for await (const line of createInterface(socket)) {
    if (isData && line !== ".") {
      mail.push(line)
      continue
    }
    if (line.toUpperCase() === "DATA") socket.write("354 Go on\r\n")
    else socket.write(line.toUpperCase() === "QUIT" ? "221 Bye\r\n" : "250 OK\r\n")
    isData = line.toUpperCase() === "DATA"
    if (line.toUpperCase() === "QUIT") socket.end()
  }
  return mail.join("\n")
}
