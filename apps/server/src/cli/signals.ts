import { constants } from "node:os"

/**
 * Calls `stop` on the first SIGINT or SIGTERM, and ends at once on the second. What is to be stopped is not known before
 * it runs: until then the first one ends the process, with `stopped`.
 */
export const stopOnSignals = (stopped: number): { readonly whenAsked: (stop: () => void) => void } => {
  let stop: (() => void) | undefined
  let stopping = false
  const onSignal = (signal: "SIGINT" | "SIGTERM") => {
    // As whom a signal kills: the first process of a container is killed by none that it does not handle.
    if (stopping) process.exit(128 + constants.signals[signal])
    if (stop === undefined) process.exit(stopped)
    stopping = true
    stop()
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
  return {
    whenAsked: (toDo) => {
      stop = toDo
    }
  }
}
