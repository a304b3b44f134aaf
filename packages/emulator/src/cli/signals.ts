import { constants } from "node:os"

/**
 * Stops cleanly on the first SIGINT or SIGTERM, and ends at once on the second. `stop` is not known before there is
 * something to stop: until then the first one ends the process too.
 */
export const stopOnSignals = (stopped: number): { readonly whenAsked: (stop: () => Promise<void>) => void } => {
  let stop: (() => Promise<void>) | undefined
  let stopping = false
  const onSignal = (signal: "SIGINT" | "SIGTERM") => {
    // As whom a signal kills: the first process of a container is killed by none that it does not handle.
    if (stopping) process.exit(128 + constants.signals[signal])
    if (stop === undefined) process.exit(stopped)
    stopping = true
    void stop().then(() => {
      process.exitCode = stopped
      // Nothing keeps the process alive now, but for what nobody reads of what it wrote.
      if (process.stdout.writableLength + process.stderr.writableLength > 0) process.exit()
    })
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
  return {
    whenAsked: (toDo) => {
      stop = toDo
    }
  }
}
