import { constants } from "node:os"

/**
 * Calls the function of `onStop` on the first SIGINT or SIGTERM, and ends the process on the second. Before `onStop` is called,
 * the first signal ends the process with the exit code `stopped`.
 */
export const stopOnSignals = (
  stopped: number
): { readonly onStop: (stop: (signal: NodeJS.Signals) => void) => void } => {
  let stop: ((signal: NodeJS.Signals) => void) | undefined
  let stopping = false
  const onSignal = (signal: "SIGINT" | "SIGTERM") => {
    // Exits as if the signal had killed it: in a container, process 1 is not killed by signals that it does not handle.
    if (stopping) process.exit(128 + constants.signals[signal])
    if (stop === undefined) process.exit(stopped)
    stopping = true
    stop(signal)
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
  // SIGHUP means to reload files for servers. It ends the process only if the terminal was closed and nothing else handles it:
  // systemd would not restart a process that ends on it.
  process.on("SIGHUP", () => {
    if (process.stdin.isTTY && process.listenerCount("SIGHUP") === 1 && !stopping) onSignal("SIGTERM")
  })
  return {
    onStop: (toDo) => {
      stop = toDo
    }
  }
}
