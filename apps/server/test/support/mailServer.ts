import { once } from "node:events"
import { createServer } from "node:net"
import { onTestFinished } from "vitest"

/** An SMTP server on loopback that takes every mail, or refuses every recipient. `next` gives the text of the next one. */
export const mailServer = async (options: { readonly refuses?: boolean } = {}) => {
  const mails: Array<string> = []
  const waiting: Array<() => void> = []
  const server = createServer((socket) => {
    let left = ""
    let mail: Array<string> | undefined
    const line = (text: string) => {
      if (mail !== undefined) {
        if (text !== ".") return void mail.push(text)
        mails.push(mail.join("\n"))
        mail = undefined
        waiting.shift()?.()
        return void socket.write("250 taken\r\n")
      }
      const verb = text.slice(0, 4).toUpperCase()
      if (verb === "DATA") mail = []
      if (verb === "QUIT") return void socket.end("221 bye\r\n")
      const isRefused = verb === "RCPT" && options.refuses === true
      socket.write(isRefused ? "550 no such mailbox\r\n" : verb === "DATA" ? "354 go on\r\n" : "250 yes\r\n")
    }
    socket.on("error", () => {})
    socket.setEncoding("utf8").on("data", (more: string) => {
      const lines = (left + more).split("\r\n")
      left = lines.pop() ?? ""
      for (const one of lines) line(one)
    })
    socket.write("220 localhost\r\n")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return {
    url: `smtp://user:mail-password@127.0.0.1:${port}`,
    next: async (): Promise<string> => {
      if (mails.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      // Quoted-printable: as it was written.
      return (mails.shift() ?? "").replace(/=\n/g, "").replace(/=3D/g, "=")
    }
  }
}
