import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"

/** Where a frame that has a type says so: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const parse = "P".charCodeAt(0)
const bind = "B".charCodeAt(0)
const query = "Q".charCodeAt(0)
const sslRequest = 80_877_103

interface Notes {
  /** What a connection sets as it begins, by name. */
  readonly settings: (settings: Readonly<Record<string, string>>) => void
  /** A statement is prepared. */
  readonly statement: (text: string) => void
  readonly executed: (text: string) => void
}

/** Reads what a client says, frame by frame, and notes the text of each statement that it prepares and executes. */
const hearing = (note: Notes) => {
  const prepared = new Map<string, string>()
  let rest: Buffer = Buffer.alloc(0)
  let hasBegun = false
  /** Of the first frames, which have no type, until the one that begins the session. */
  const beginning = () => {
    const length = rest.length < 8 ? 8 : rest.readUInt32BE(0)
    if (rest.length < length) return undefined
    hasBegun = rest.readUInt32BE(4) !== sslRequest
    if (hasBegun) note.settings(pairsOf(rest.toString("utf8", 8, length).split("\0")))
    return length
  }
  const frame = () => {
    if (!hasBegun) return beginning()
    const length = rest.length < 5 ? 5 : 1 + rest.readUInt32BE(1)
    if (rest.length < length) return undefined
    if (rest[0] === parse || rest[0] === bind) {
      // A name and the text of a statement; or the names of a portal and of the statement that it executes.
      const end = rest.indexOf(0, 5)
      const [first, second] = [rest.toString("utf8", 5, end), rest.toString("utf8", end + 1, rest.indexOf(0, end + 1))]
      if (rest[0] === bind) note.executed(prepared.get(second) ?? "")
      else {
        prepared.set(first, second)
        note.statement(second)
      }
    }
    if (rest[0] === query) note.executed(rest.toString("utf8", 5, rest.indexOf(0, 5)))
    return length
  }
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (let length = frame(); length !== undefined; length = frame()) rest = rest.subarray(length)
  }
}

const pairsOf = (words: ReadonlyArray<string>) =>
  Object.fromEntries(words.flatMap((word, index) => (index % 2 === 0 && word ? [[word, words[index + 1] ?? ""]] : [])))

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim()

/** Passes on what is said to a database, and keeps the statements and the connections' settings. */
export const listenIn = async (url: string) => {
  const to = new URL(url)
  const statements = new Set<string>()
  const executed: Array<string> = []
  const settings: Record<string, string> = {}
  const notes: Notes = {
    statement: (text) => statements.add(oneLine(text)),
    executed: (text) => executed.push(oneLine(text)),
    settings: ({ application_name: _, database: _1, user: _2, ...set }) => Object.assign(settings, set)
  }
  const server = createServer((near) => {
    const far = connect(Number(to.port || 5432), to.hostname)
    near.on("data", hearing(notes))
    near.pipe(far)
    far.pipe(near)
    for (const socket of [near, far]) socket.on("error", () => near.destroy() && far.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const through = new URL(url)
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: through.href, settings, statements, executed, close: () => server.close() }
}
