import { Effect, Layer, Logger } from "effect"

/**
 * The server's log, on standard error: standard output has the greeting, or the line of `--json`, and nothing else. Lines to
 * read on a terminal; elsewhere one JSON object a line.
 */
export const layerLog = Layer.unwrap(
  Effect.sync(() =>
    process.stderr.isTTY
      ? Layer.merge(Logger.layer([Logger.consolePretty({ mode: "tty" })]), Layer.succeed(Logger.LogToStderr, true))
      : Logger.layer([Logger.withConsoleError(Logger.formatJson)])
  )
)
