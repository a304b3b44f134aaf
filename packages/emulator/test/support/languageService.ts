import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { withoutCollection } from "@tapedeck/tsconfig/compiler.ts"

const tsc = join(import.meta.dirname, "../../../../node_modules/.bin/tsc")

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: object
  readonly result?: unknown
}

interface Hover {
  readonly contents: { readonly value: string }
}

/**
 * What TypeScript's language service shows in an editor at each of the texts in a file: a text's first occurrence, at
 * its last identifier, which ends it.
 */
export const hover = async (file: string, texts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { ask, end, tell } = languageServer()
  try {
    const capabilities = { textDocument: { hover: { contentFormat: ["markdown"] } } }
    await ask("initialize", { processId: process.pid, rootUri: null, capabilities })
    tell("initialized", {})
    const [uri, text] = [pathToFileURL(file).href, await readFile(file, "utf8")]
    tell("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version: 1, text } })
    const shown: Array<string> = []
    for (const one of texts) {
      const before = text.slice(0, text.indexOf(one) + one.length - 1).split("\n")
      const position = { line: before.length - 1, character: before.at(-1)!.length }
      const result = (await ask("textDocument/hover", { textDocument: { uri }, position })) as Hover | null
      shown.push(result?.contents.value ?? "")
    }
    return shown
  } finally {
    end()
  }
}

/** TypeScript's language server, over its standard input and output. */
const languageServer = () => {
  const child = spawn(tsc, ["--lsp", "--stdio"], { stdio: ["pipe", "pipe", "ignore"], env: withoutCollection })
  const waiting = new Map<number, (result: unknown) => void>()
  let nextId = 1
  const send = (message: Message) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const receive = ({ id, method, result }: Message) => {
    if (id === undefined) return
    // What the server asks for (its configuration, a registration) is left at its default.
    if (method !== undefined) return send({ id, result: null })
    waiting.get(id)?.(result)
  }
  let unread = Buffer.alloc(0)
  child.stdout.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    for (;;) {
      const start = unread.indexOf("\r\n\r\n") + 4
      const [, length] = /Content-Length: (\d+)/i.exec(unread.toString("latin1", 0, Math.max(start, 0))) ?? []
      if (start < 4 || unread.length < start + Number(length)) return
      const message = unread.toString("utf8", start, start + Number(length))
      unread = unread.subarray(start + Number(length))
      receive(JSON.parse(message))
    }
  })
  return {
    ask: (method: string, params: object): Promise<unknown> =>
      new Promise((resolve) => {
        const id = nextId++
        waiting.set(id, resolve)
        send({ id, method, params })
      }),
    tell: (method: string, params: object) => send({ method, params }),
    end: () => void child.kill()
  }
}
