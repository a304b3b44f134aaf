import { notSent } from "@tapedeck/dispatcher"
import { Effect } from "effect"
import type { Network } from "../src/deliveries/network.ts"
import { type RunningEmulator, runningEmulator, type WorldOptions } from "../src/library/RunningEmulator.ts"
import { makeInProcess } from "../src/serve/InProcessServer.ts"

export type {
  AttemptView as Attempt,
  DeliveryView as Delivery,
  SinkLogView as SinkLog
} from "../src/control/schemas.ts"
export type { RunningEmulator, RunningWorld, WorldOptions } from "../src/library/RunningEmulator.ts"

/** A page calls no receivers: its worlds have sinks. */
const noNetwork: Network = () => Effect.succeed(notSent("an emulator in a page calls sinks only"))

const noSocket = (): never => {
  throw new Error("an emulator in a page has no socket: call its fetch")
}

const readFile = (): never => {
  throw new Error("cannot be read: a page has no files")
}

/**
 * Starts an emulator in a page or a worker. It is the emulator of Node: the same options and calls write the same journal. It has
 * neither sockets nor files, and delivers to sinks only.
 */
export const startEmulator = (options: WorldOptions = {}): Promise<RunningEmulator> => {
  const inProcess = makeInProcess({ allowHosts: [], folder: "/" }, () => noNetwork)
  return runningEmulator(
    { server: { ...inProcess, originNow: noSocket, close: () => inProcess.close() }, readFile },
    options
  )
}
