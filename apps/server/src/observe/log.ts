import { writeSync } from "node:fs"
import { Array, Cause, Effect, Layer, Logger, References } from "effect"
import type { Config } from "../config/Config.ts"
import { redact } from "./redact.ts"

/** A log line. */
export interface LogEntry {
  readonly time: string
  readonly level: string
  readonly message: string
  /** `request_id`, `delivery_id`, `account_id` and the like. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The cause with its stack; undefined if there is none. */
  readonly cause: string | undefined
}

const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

const textOf = (part: unknown): string =>
  typeof part === "string" ? part : part instanceof Error ? part.message : JSON.stringify(part)

const isFields = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/** Fields are annotations or an object beside the message, which costs less. */
export const entryOf = ({ cause, date, fiber, logLevel, message }: Logger.Options<unknown>): LogEntry => {
  const parts = Array.ensure(message)
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  return {
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    message: parts
      .filter((part) => !isFields(part))
      .map(textOf)
      .join(" "),
    fields: Object.assign({}, annotations, ...parts.filter(isFields)) as LogEntry["fields"],
    cause: cause.reasons.length === 0 ? undefined : Cause.pretty(cause)
  }
}

const first = (time: string, level: string, message: string) => ({ time, level, message })

/** One JSON object: `time`, `level`, `message`, then the fields, which cannot replace the first three. */
export const jsonLine = ({ cause, fields, level, message, time }: LogEntry): string =>
  redact(JSON.stringify({ ...first(time, level, message), ...fields, ...first(time, level, message), cause }))

/** A line for terminals: time, level, message, then the fields. */
export const prettyLine = ({ cause, fields, level, message, time }: LogEntry): string => {
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${textOf(value)}`]
  )
  const line = [time.slice(11, 23), level.toUpperCase().padEnd(5), message, ...texts].join(" ")
  return redact(cause === undefined ? line : `${line}\n${cause}`)
}

/**
 * The server's log, on standard error: standard output contains only the banner or the line of `--json`. Readable lines on a
 * terminal, else one JSON object a line.
 */
export const layerLog = ({ log, log_level }: Pick<Config, "log" | "log_level">) =>
  Layer.unwrap(
    Effect.sync(() => {
      const write = makeLineWriter()
      const format = log ?? (process.stderr.isTTY ? "pretty" : "json")
      const lineOf = format === "pretty" ? prettyLine : jsonLine
      return Layer.merge(
        Logger.layer([Logger.make((options) => write(lineOf(entryOf(options))))]),
        Layer.succeed(References.MinimumLogLevel, levels[log_level])
      )
    })
  )

/** Descriptor of standard error, for the lines that remain when the process ends. */
const standardError = 2

/**
 * Writes lines to standard error, those of one turn of the event loop together, because a system call for each would be the
 * largest cost of a request. Remaining lines are written when the process ends.
 */
const makeLineWriter = (): ((line: string) => void) => {
  let waiting: Array<string> = []
  const taken = (): string => {
    const text = `${waiting.join("\n")}\n`
    waiting = []
    return text
  }
  const flush = () => {
    if (waiting.length > 0) process.stderr.write(taken())
  }
  process.stderr.on("error", () => {}) // The reader is gone; the server continues.
  process.on("exit", () => {
    if (waiting.length === 0) return
    try {
      writeSync(standardError, taken())
    } catch {
      // The reader has closed the stream.
    }
  })
  return (line) => {
    if (waiting.push(line) === 1) setImmediate(flush)
  }
}
