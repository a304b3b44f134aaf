import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isStorableText, UNSTORABLE_TEXT } from "../storableText.ts"
import { parseIso, toIso } from "../time.ts"
import { consoleLevels, initiators, type LogEvent, type LogHeader, type LogHeaders, logKinds } from "./log.ts"

/** Where a capture log cannot be read. Lines count from 1. */
export class LogUnreadable extends Schema.TaggedError<LogUnreadable>()("LogUnreadable", {
  problem: Schema.String,
  line: Schema.Int
}) {
  override get message(): string {
    return `Line ${this.line}: ${this.problem}`
  }
}

/** Ends the reading of a line; it does not leave this file. */
class Wrong {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Lines of a log: events, and the header where they begin with it. */
export interface LogLines {
  readonly header: LogHeader | null
  readonly events: ReadonlyArray<LogEvent>
}

/**
 * Reads lines of a capture log, all or none. Only the first may be the header (it has `version`). Blank lines are skipped; a field
 * that version 1 does not have is refused by name, so that nothing is kept of which no rule of redaction is aware.
 */
export const readLogLines = (text: string): Result.Result<LogLines, LogUnreadable> => {
  const events: Array<LogEvent> = []
  let header: LogHeader | null = null
  let line = 0
  let isFirst = true
  try {
    for (const row of text.split("\n")) {
      line++
      if (row.trim() === "") continue
      const fields = fieldsOf(row)
      if (isFirst && fields.version !== undefined) header = headerIn(fields)
      else events.push(eventIn(fields))
      isFirst = false
    }
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong
    return Result.fail(new LogUnreadable({ problem: wrong.problem, line }))
  }
  return Result.succeed({ header, events })
}

const fieldsOf = (row: string): Fields => {
  let value: unknown
  try {
    value = JSON.parse(row)
  } catch {
    throw new Wrong("this is not JSON")
  }
  return object(value, "a line")
}

const object = (value: unknown, what: string): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Wrong(`${what} must be an object`)
  return value as Fields
}

const knownOnly = (fields: Fields, what: string, known: ReadonlyArray<string>): void => {
  const unknown = Object.keys(fields).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new Wrong(`${what} has no field ${unknown.slice(0, 64)}`)
}

const text = (fields: Fields, key: string): string => {
  const value = fields[key]
  if (typeof value !== "string") throw new Wrong(`${key} must be a string`)
  if (!isStorableText(value)) throw new Wrong(`${key} ${UNSTORABLE_TEXT}`)
  return value
}

const maybe = <Key extends string>(fields: Fields, key: Key): { readonly [K in Key]?: string } =>
  fields[key] === undefined ? {} : ({ [key]: text(fields, key) } as { readonly [K in Key]?: string })

const number = (fields: Fields, key: string, min: number, max = Number.MAX_SAFE_INTEGER): number => {
  const value = fields[key]
  if (typeof value !== "number" || !Number.isFinite(value) || value < min || value > max) {
    throw new Wrong(`${key} must be a number from ${min} to ${max}`)
  }
  return value
}

const integer = (fields: Fields, key: string, max = Number.MAX_SAFE_INTEGER): number => {
  const value = number(fields, key, 0, max)
  if (!Number.isInteger(value)) throw new Wrong(`${key} must be an integer`)
  return value
}

const oneOf = <Value extends string>(fields: Fields, key: string, values: ReadonlyArray<Value>): Value => {
  const value = values.find((each) => each === fields[key])
  if (value === undefined) throw new Wrong(`${key} must be one of ${values.join(", ")}`)
  return value
}

const headers = (fields: Fields, key: string): LogHeaders => {
  const given = object(fields[key], key)
  const entries = Object.keys(given).map((name) => {
    if (!isStorableText(name)) throw new Wrong(`a name in ${key} ${UNSTORABLE_TEXT}`)
    if (typeof given[name] !== "string") throw new Wrong(`${key}.${name.slice(0, 64)} must be a string`)
    return [name.toLowerCase(), text(given, name)] as const
  })
  return Object.fromEntries(entries)
}

const headerKeys = ["version", "started_at", "page", "user_agent", "viewport", "timezone", "language"]

const headerIn = (fields: Fields): LogHeader => {
  if (fields.version !== 1) throw new Wrong("version must be 1")
  knownOnly(fields, "the header", headerKeys)
  const startedAt = parseIso(text(fields, "started_at"))
  if (startedAt === undefined) throw new Wrong("started_at must be an ISO 8601 timestamp with a time zone")
  const page = object(fields.page, "page")
  knownOnly(page, "page", ["url", "title"])
  const viewport = object(fields.viewport, "viewport")
  knownOnly(viewport, "viewport", ["width", "height"])
  return {
    version: 1,
    started_at: toIso(startedAt),
    page: { url: text(page, "url"), title: text(page, "title") },
    user_agent: text(fields, "user_agent"),
    viewport: { width: number(viewport, "width", 0), height: number(viewport, "height", 0) },
    timezone: text(fields, "timezone"),
    language: text(fields, "language")
  }
}

const networkKeys =
  "id method url status initiator duration_ms request_headers response_headers request_body response_body size_bytes error".split(
    " "
  )

const keysOf: Readonly<Record<LogEvent["kind"], ReadonlyArray<string>>> = {
  console: ["level", "message", "stack"],
  error: ["message", "stack", "source"],
  network: networkKeys,
  navigation: ["url", "title"],
  click: ["target"],
  input: ["target"],
  key: ["target"],
  mark: ["text"],
  gap: ["reason", "dropped"]
}

const maxMs = 8.64e15

const eventIn = (fields: Fields): LogEvent => {
  const seq = integer(fields, "seq")
  const t = Math.round(number(fields, "t", -maxMs, maxMs))
  const kind = oneOf(fields, "kind", logKinds)
  knownOnly(fields, `an event of kind ${kind}`, ["seq", "t", "kind", ...keysOf[kind]])
  switch (kind) {
    case "console": {
      const level = oneOf(fields, "level", consoleLevels)
      return { seq, t, kind, level, message: text(fields, "message"), ...maybe(fields, "stack") }
    }
    case "error":
      return { seq, t, kind, message: text(fields, "message"), ...maybe(fields, "stack"), ...maybe(fields, "source") }
    case "network":
      return {
        seq,
        t,
        kind,
        id: text(fields, "id"),
        method: text(fields, "method"),
        url: text(fields, "url"),
        status: integer(fields, "status", 999),
        initiator: oneOf(fields, "initiator", initiators),
        duration_ms: number(fields, "duration_ms", 0),
        request_headers: headers(fields, "request_headers"),
        response_headers: headers(fields, "response_headers"),
        ...maybe(fields, "request_body"),
        ...maybe(fields, "response_body"),
        ...(fields.size_bytes !== undefined && { size_bytes: integer(fields, "size_bytes") }),
        ...maybe(fields, "error")
      }
    case "navigation":
      return { seq, t, kind, url: text(fields, "url"), title: text(fields, "title") }
    case "mark":
      return { seq, t, kind, text: text(fields, "text") }
    case "gap":
      return { seq, t, kind, reason: text(fields, "reason"), dropped: integer(fields, "dropped") }
    default:
      return { seq, t, kind, target: text(fields, "target") }
  }
}
