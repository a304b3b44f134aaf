import { constants } from "node:os"

/**
 * Stops cleanly on the first SIGINT or SIGTERM, and ends the process on the second. Before `onStop` is called, the first signal
 * ends the process too.
 */
export const stopOnSignals = (stopped: number): { readonly onStop: (stop: () => Promise<void>) => void } => {
  let stop: (() => Promise<void>) | undefined
  let stopping = false
  const onSignal = (signal: "SIGINT" | "SIGTERM") => {
    // Exits as if the signal had killed it: in a container, process 1 is not killed by signals that it does not handle.
    if (stopping) process.exit(128 + constants.signals[signal])
    if (stop === undefined) process.exit(stopped)
    stopping = true
    void stop().then(() => {
      process.exitCode = stopped
      // Only output that no process reads keeps the process alive now.
      if (process.stdout.writableLength + process.stderr.writableLength > 0) process.exit()
    })
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
  return {
    onStop: (toDo) => {
      stop = toDo
    }
  }
}
