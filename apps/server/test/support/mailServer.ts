import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { SMTPServer } from "smtp-server"
import { onTestFinished } from "vitest"

/** An SMTP server on loopback that takes every mail, or refuses every recipient. `next` gives the text of the next one. */
export const mailServer = async (options: { readonly refuses?: boolean } = {}) => {
  const mails: Array<string> = []
  const greetings: Array<string> = []
  const waiting: Array<() => void> = []
  let isRefusing = options.refuses === true
  let responseCode = 550
  let isStalling = false
  const stalled = Promise.withResolvers<void>()
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    onAuth: (_, __, done) => done(null, { user: "user" }),
    onRcptTo: (_, __, done) => {
      if (isStalling) {
        isStalling = false
        return stalled.resolve()
      }
      if (!isRefusing) return done()
      isRefusing = options.refuses === true
      done(Object.assign(new Error("refused"), { responseCode }))
    },
    onData: (stream, { hostNameAppearsAs }, done) => {
      greetings.push(hostNameAppearsAs)
      void text(stream).then((mail) => {
        mails.push(mail.replaceAll("\r\n", "\n"))
        waiting.shift()?.()
        done()
      })
    }
  })
  const listening = server.listen(0, "127.0.0.1")
  await once(listening, "listening")
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = listening.address() as AddressInfo
  return {
    url: `smtp://user:mail-password@127.0.0.1:${port}`,
    /** The name that the client of each mail greeted with. */
    greetings,
    /** Never answers the next recipient; `stalled` completes when it is named. */
    stall: () => {
      isStalling = true
    },
    stalled: stalled.promise,
    /** Refuses the next recipient: for good, unless the code is one of 4xx. */
    refuseOne: (code = 550) => {
      isRefusing = true
      responseCode = code
    },
    next: async (): Promise<string> => {
      if (mails.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      // Quoted-printable: as it was written.
      return (mails.shift() ?? "").replace(/=\n/g, "").replace(/=3D/g, "=")
    }
  }
}
