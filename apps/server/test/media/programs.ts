import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** A directory of the test's own. */
export const aDirectory = (): string => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "tapedeck-media-")))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** An executable whose body is JavaScript; `args` are its arguments. */
export const aProgram = (directory: string, name: string, body: string): string => {
  const path = join(directory, name)
  const head = `#!${process.execPath}\nconst args = process.argv.slice(2)\nconst fs = require("node:fs")\n`
  writeFileSync(path, `${head}${body}\n`)
  chmodSync(path, 0o755)
  return path
}

/** Somewhere to report to: programs that connect are heard of, and so is their end, however they end. */
export const aWatcher = async () => {
  const server: Server = createServer()
  const ended: Array<Promise<void>> = []
  let onConnection: () => void = () => undefined
  server.on("connection", (socket: Socket) => {
    ended.push(new Promise((resolve) => socket.once("close", () => resolve())))
    // A killed program resets its connection.
    socket.on("error", () => undefined).resume()
    onConnection()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    /** JavaScript that reports, and then lives on for ever. */
    reporting: `require("node:net").connect(${port}, "127.0.0.1"); setInterval(() => {}, 1000)`,
    connected: (count: number) =>
      new Promise<void>((resolve) => {
        onConnection = () => (ended.length >= count ? resolve() : undefined)
        onConnection()
      }),
    allEnded: () => Promise.all(ended)
  }
}
