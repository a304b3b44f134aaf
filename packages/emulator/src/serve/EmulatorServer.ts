import type { RequestListener, Server } from "node:http"
import * as net from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { oldNodeProblem } from "@tapedeck/core/command"
import { clientFault, HttpServer, rawRefusal, refuseClient, serverOptions, watchAnswers } from "@tapedeck/http/node"
import { Context, Effect, type Scope } from "effect"
import { wallTime } from "../clock/VirtualClock.ts"
import { networkWithin } from "../deliveries/network.ts"
import type { Emulator } from "../Emulator.ts"
import type { World } from "../world/World.ts"
import { type EmulatorApp, productWorldOf, stampOf, targetBelow } from "./app.ts"
import { type InProcessOptions, type InProcessServer, makeInProcess } from "./InProcessServer.ts"

/** A running emulator. It answers `fetch`, and requests to a socket when one is opened. */
export interface EmulatorServer extends InProcessServer {
  /** Opens a socket and returns the origin. A second call returns the same origin. Fails if the address is not available. */
  readonly listen: (options: { readonly port: number; readonly host: string }) => Promise<string>
  /** The origin. Opens a socket on a free port of loopback synchronously if there is none. */
  readonly originNow: () => string
  /** Closes all connections and releases all handles. */
  readonly close: () => Promise<void>
}

/** Creates an emulator without a world. */
export const makeEmulatorServer = async (options: InProcessOptions): Promise<EmulatorServer> => {
  const problem = oldNodeProblem("@tapedeck/emulator")
  if (problem !== undefined) throw new Error(problem)
  const inProcess = makeInProcess(options, networkWithin)
  const { app, emulator, fetch, isClosed, run, scope } = inProcess
  const handler = makeHandler(emulator, app, scope)
  let server: Server | undefined

  const open = () => {
    server = new HttpServer(serverOptions, handler)
    server.on("checkContinue", handler)
    watchAnswers(server)
    server.on("clientError", (error, socket: net.Socket) => {
      refuseClient(error, socket, rawRefusal(clientFault(error, targetBelow), stampOf(emulator)))
    })
    return server
  }

  const settle = (opened: Server) => {
    const { address, family, port } = opened.address() as net.AddressInfo
    const shown = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address
    emulator.origin = `http://${shown}:${port}`
    return emulator.origin
  }

  const listen: EmulatorServer["listen"] = ({ host, port }) => {
    if (server !== undefined) return Promise.resolve(emulator.origin)
    const opened = open()
    return new Promise((resolve, reject) => {
      opened.once("error", (error) => {
        server = undefined
        reject(error)
      })
      opened.listen(port, host, () => resolve(settle(opened)))
    })
  }

  const originNow = () => {
    if (isClosed()) throw new Error("the emulator is closed")
    if (server !== undefined) return emulator.origin
    const opened = open()
    opened.listen(boundToLoopback())
    return settle(opened)
  }

  const close = () =>
    inProcess.close(async () => {
      if (server === undefined) return
      const closing = server
      await new Promise<void>((resolve) => {
        closing.close(() => resolve())
        closing.closeAllConnections()
      })
    })

  return { emulator, fetch, listen, originNow, run, close }
}

/** Node's request handler. Each world has its own with the services inside, so that requests do not add them. */
const makeHandler = (emulator: Emulator, app: EmulatorApp, scope: Scope.Scope): RequestListener => {
  const make = NodeHttpServer.makeHandler(app, { scope })
  // Inside `runSync`, which has a scheduler of its own: with it, a long operation would not yield to the event loop.
  const handlerWith = (services: Context.Context<never>) =>
    Effect.runSync(Effect.provideContext(make, Context.merge(wallTime, services)))
  const ofAny = handlerWith(Context.empty())
  const ofWorlds = new WeakMap<World["services"], RequestListener>()
  const ofWorld = ({ services }: World) => {
    let handler = ofWorlds.get(services)
    if (handler === undefined) {
      handler = handlerWith(services)
      ofWorlds.set(services, handler)
    }
    return handler
  }
  return (request, response) => {
    const world = productWorldOf(emulator, request.url ?? "")
    const handler = world === null ? ofAny : ofWorld(world)
    handler(request, response)
  }
}

/** Functions that the types of Node 24.10 do not have. */
interface Binders {
  /** Public since Node 24.21. */
  readonly BoundSocket?: new (options: {
    readonly host: string
    readonly port: number
  }) => object
  /** Function of Node's cluster module for its workers, in older versions. */
  readonly _createServerHandle?: (address: string, port: number, family: 4) => object | number
}

const loopback = "127.0.0.1"

/**
 * A socket that is bound before the call returns, so that `url` can be a plain property. `listen` with an address binds one turn
 * later, after a name look-up.
 */
export const boundToLoopback = ({ BoundSocket, _createServerHandle }: Binders = net as Binders): object => {
  const handle =
    BoundSocket === undefined ? _createServerHandle?.(loopback, 0, 4) : new BoundSocket({ host: loopback, port: 0 })
  if (typeof handle !== "object")
    throw new Error("this runtime cannot open a socket synchronously: use the tapedeck-emulator command instead")
  return handle
}
