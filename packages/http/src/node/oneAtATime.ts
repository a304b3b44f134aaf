import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** The request of a connection that is being answered, and the events that wait for its answer. */
interface Turns {
  active: IncomingMessage | null
  readonly waiting: Array<() => void>
  /** Emits that what follows the last of them is malformed. */
  fault?: () => void
}

const requestEvents: ReadonlySet<unknown> = new Set(["request", "checkContinue", "checkExpectation"])

/**
 * A server that answers one request of a connection at a time. Node gives each pipelined request to its listeners as soon as it
 * is parsed, so that one connection could have a thousand of them answered at once, before all other connections. Here the next
 * one waits for the answer before it, and while one waits nothing more is read: at most what one read of the socket held is kept.
 */
export const oneAtATime = <S extends Pick<Server, "emit">>(server: S): S => {
  const emit = server.emit.bind(server) as (...event: ReadonlyArray<unknown>) => boolean
  const connections = new WeakMap<Socket, Turns>()

  const turnsOf = (socket: Socket): Turns => {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const turns: Turns = { active: null, waiting: [] }
    connections.set(socket, turns)
    socket.once("close", () => turns.waiting.splice(0))
    // Node resumes it after each answer.
    socket.on("resume", () => {
      if (turns.waiting.length > 0) socket.pause()
    })
    return turns
  }

  const next = (socket: Socket, turns: Turns): void => {
    turns.active = null
    const isOpen = !(socket.destroyed || socket.writableEnded)
    const turn = isOpen ? turns.waiting.shift() : undefined
    if (isOpen && turns.waiting.length === 0) socket.resume()
    turn?.()
    if (turns.waiting.length > 0) return
    turns.fault?.()
    delete turns.fault
  }

  const begin = (socket: Socket, turns: Turns, event: readonly [unknown, IncomingMessage, ServerResponse]): void => {
    const [, request, response] = event
    turns.active = request
    response.once("close", () => next(socket, turns))
    emit(...event)
  }

  server.emit = ((...event: ReadonlyArray<unknown>) => {
    const [name, first, second] = event
    if (requestEvents.has(name)) {
      const { socket } = first as IncomingMessage
      const turns = turnsOf(socket)
      const turn = () => begin(socket, turns, [name, first as IncomingMessage, second as ServerResponse])
      if (turns.active === null) turn()
      else {
        turns.waiting.push(turn)
        socket.pause()
      }
      return true
    }
    if (name === "clientError") {
      const turns = connections.get(second as Socket)
      if (turns !== undefined && turns.waiting.length > 0) {
        turns.fault = () => void emit(...event)
        return true
      }
    }
    return emit(...event)
  }) as S["emit"]
  return server
}
