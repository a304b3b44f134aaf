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
  // To a server it says that something is to be looked at anew: where nothing is, it is no reason to end, and to be left ended
  // by systemd. From a terminal that was closed it is, unless somebody else listens to it.
  process.on("SIGHUP", () => {
    if (process.stdin.isTTY && process.listenerCount("SIGHUP") === 1 && !stopping) onSignal("SIGTERM")
  })
  return {
    whenAsked: (toDo) => {
      stop = toDo
    }
  }
}
