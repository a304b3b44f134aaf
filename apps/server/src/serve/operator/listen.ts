import { rmSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Administration } from "@tapedeck/core"
import { Cause, Data, Effect, Exit, Layer } from "effect"
import type { DataDirectory } from "../../config/dataDirectory.ts"
import { administered, operationIn } from "./administration.ts"
import { socketAddress } from "./socketPath.ts"

class NoSocket extends Data.TaggedError("NoSocket")<{ readonly message: string }> {}

const maxBytes = 64 * 1024
const requestMs = 5_000

/**
 * Serves operator commands at a Unix socket in the data directory. The socket's mode, 0600, is the only access control: a user
 * who may open it can read the whole directory. Without a socket the server logs a warning, and commands work only while it is
 * stopped.
 */
export const listenForOperator = Effect.fnUntraced(function* ({ socket }: DataDirectory) {
  const context = yield* Layer.build(Administration.layer)
  const answer = async (request: IncomingMessage): Promise<unknown> => {
    const operation = operationIn(JSON.parse(await textOf(request)))
    if (operation === undefined) throw new SyntaxError("unknown operation")
    const exit = await Effect.runPromiseExit(Effect.provideContext(administered(operation), context))
    if (Exit.isSuccess(exit)) return { result: exit.value }
    const error = Cause.squash(exit.cause) as { readonly _tag?: string; readonly message?: string }
    return { error: { ...error, _tag: error._tag, message: error.message } }
  }
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    answer(request).then(
      (body) => end(response, 200, body),
      () => end(response, 400, {})
    )
  })
  const address = socketAddress(socket)
  const listening =
    address === undefined
      ? Effect.fail(new NoSocket({ message: `the path ${socket} is too long for one` }))
      : listen(server, socket, address)
  yield* Effect.acquireRelease(listening, () => Effect.promise(() => close(server))).pipe(
    Effect.catch(({ message }) =>
      Effect.logWarning("no socket for operator commands in the data directory", {
        reason: message,
        remedy: "stop the server to run them"
      })
    )
  )
})

const end = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { "content-type": "application/json", connection: "close" })
  response.end(JSON.stringify(body))
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  let sizeBytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    sizeBytes += piece.length
    if (sizeBytes > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

/** The file is created with its mode, so that other users can open it at no moment. */
const listen = (server: Server, socket: string, address: string): Effect.Effect<void, NoSocket> =>
  Effect.callback<void, NoSocket>((resume) => {
    server.once("error", ({ message }) => resume(Effect.fail(new NoSocket({ message }))))
    // A killed process leaves its socket behind; the lock of the directory proves that the process is gone.
    rmSync(socket, { force: true })
    const before = process.umask(0o177)
    try {
      server.listen(address, () => resume(Effect.void))
    } finally {
      process.umask(before)
    }
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
