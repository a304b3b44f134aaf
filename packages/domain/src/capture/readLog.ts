import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hasMoreValues } from "../jsonValues.ts"
import { atOnce, type Sliced } from "../slices.ts"
import { storableText } from "../storableText.ts"
import { parseIso, toIso } from "../time.ts"
import { type IndexedLog, NumberList } from "./IndexedLog.ts"
import { consoleLevels, initiators, type LogEvent, type LogHeader, type LogHeaders, logKinds } from "./log.ts"
import { Repairs } from "./Repairs.ts"

/** Maximum number of JSON values of a line, including itself, its fields and headers. */
export const MAX_LINE_VALUES = 10_000

/** Maximum number of lines that an error names. */
const MAX_NAMED_LINES = 1_000

/**
 * The capture log is malformed. The message has the first problem. `lines` has the numbers of all malformed lines, counted from 1, or of
 * the first 1,000; the log can be sent again without them. Absent if no single line is the problem.
 */
export class LogUnreadable extends Schema.TaggedError<LogUnreadable>()("LogUnreadable", {
  problem: Schema.String,
  line: Schema.Int,
  lines: Schema.optionalKey(Schema.Array(Schema.Int))
}) {
  override get message(): string {
    const more = (this.lines?.length ?? 1) - 1
    const first = `Line ${this.line}: ${this.problem}`
    return more === 0 ? first : `${first} (and ${more} more line${more === 1 ? "" : "s"})`
  }
}

/** Thrown to stop reading a line. It does not leave this module. */
class Wrong {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

/** Lines of a log: events, and the header if it is the first line. */
export interface LogLines {
  readonly header: LogHeader | null
  readonly events: ReadonlyArray<LogEvent>
}

/** Receives an event, and the position of its line in the text: from `start` (inclusive) to `end` (exclusive). */
type AddEvent = (event: LogEvent, start: number, end: number) => void

/**
 * Reads lines of a capture log, all or none. Only the first line can be the header (it has `version`). Blank lines are skipped. Fields
 * that version 1 does not have are refused by name, so that nothing is stored that no redaction rule covers. NUL and lone surrogates
 * become U+FFFD, and `repairs` records each such text.
 */
function* eachLine(
  text: string,
  repairs: Repairs,
  add: AddEvent
): Sliced<Result.Result<LogHeader | null, LogUnreadable>> {
  const wrong: Array<number> = []
  let problem = ""
  let header: LogHeader | null = null
  let isFirst = true
  let line = 0
  for (let next = 0; next <= text.length && wrong.length < MAX_NAMED_LINES; ) {
    const [start, end] = [next, endOfLine(text, next)]
    const row = text.slice(start, end)
    next = end + 1
    line++
    yield row.length + workPerLine
    if (row.trim() === "") continue
    try {
      const fields = fieldsOf(row, { line, repairs })
      if (isFirst && fields.given.version !== undefined) header = headerIn(fields)
      else add(eventIn(fields), start, end)
    } catch (failure) {
      if (!(failure instanceof Wrong)) throw failure
      if (wrong.length === 0) problem = failure.problem
      wrong.push(line)
    }
    isFirst = false
  }
  const [first] = wrong
  return first === undefined
    ? Result.succeed(header)
    : Result.fail(new LogUnreadable({ problem, line: first, lines: wrong }))
}

/** Reads lines of a capture log, all or none. */
export function* logLinesIn(text: string): Sliced<Result.Result<LogLines, LogUnreadable>> {
  const events: Array<LogEvent> = []
  const read = yield* eachLine(text, new Repairs(), (event) => events.push(event))
  return Result.map(read, (header) => ({ header, events }))
}

/** Cost of sorting an event, in characters. */
const workPerSorted = 10

/** Reads a whole log as an index of its text. Of several events with the same `seq`, the first one is used. */
export function* indexedLog(text: string, repairs: Repairs): Sliced<Result.Result<IndexedLog, LogUnreadable>> {
  const seqs = new NumberList()
  const starts = new NumberList()
  const ends = new NumberList()
  const read = yield* eachLine(text, repairs, ({ seq }, start, end) => {
    seqs.push(seq)
    starts.push(start)
    ends.push(end)
  })
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const header = read.success
  if (header === null) return Result.fail(new LogUnreadable({ problem: "the first line must be the header", line: 1 }))
  const order = Uint32Array.from({ length: seqs.length }, (_, index) => index)
  yield workPerSorted * order.length
  order.sort((a, b) => seqs.at(a) - seqs.at(b))
  yield workPerSorted * order.length
  const once = order.filter((index, nth) => nth === 0 || seqs.at(index) !== seqs.at(order[nth - 1]!))
  const log: IndexedLog = {
    header,
    count: once.length,
    event: (nth) => {
      const index = once[nth]!
      return eventIn(fieldsOf(text.slice(starts.at(index), ends.at(index)), { line: 0, repairs: new Repairs() }))
    }
  }
  return Result.succeed(log)
}

/** Reads lines of a capture log without a pause. */
export const readLogLines = (text: string): Result.Result<LogLines, LogUnreadable> => atOnce(logLinesIn(text))

/** Cost of a line besides its characters, in characters. */
const workPerLine = 100

const endOfLine = (text: string, start: number): number => {
  const end = text.indexOf("\n", start)
  return end === -1 ? text.length : end
}

/** An object of a line, and the position of its texts. */
interface Fields {
  readonly given: Readonly<Record<string, unknown>>
  readonly line: number
  readonly repairs: Repairs
}

const fieldsOf = (row: string, place: Omit<Fields, "given">): Fields => {
  if (hasMoreValues(row, MAX_LINE_VALUES)) throw new Wrong(`a line has at most ${MAX_LINE_VALUES} values`)
  let value: unknown
  try {
    value = JSON.parse(row)
  } catch {
    throw new Wrong("this is not JSON")
  }
  return object(value, "a line", place)
}

const object = (value: unknown, what: string, { line, repairs }: Omit<Fields, "given">): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Wrong(`${what} must be an object`)
  return { given: value as Fields["given"], line, repairs }
}

const knownOnly = ({ given }: Fields, what: string, known: ReadonlyArray<string>): void => {
  const unknown = Object.keys(given).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new Wrong(`${what} has no field ${storableText(unknown.slice(0, 64))}`)
}

const text = ({ given, line, repairs }: Fields, key: string): string => {
  const value = given[key]
  if (typeof value !== "string") throw new Wrong(`${key} must be a string`)
  return repairs.storable(value, `line ${line}: ${key}`)
}

const maybe = <Key extends string>(fields: Fields, key: Key): { readonly [K in Key]?: string } =>
  fields.given[key] === undefined ? {} : ({ [key]: text(fields, key) } as { readonly [K in Key]?: string })

const number = ({ given }: Fields, key: string, min: number, max = Number.MAX_SAFE_INTEGER): number => {
  const value = given[key]
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

const oneOf = <Value extends string>({ given }: Fields, key: string, values: ReadonlyArray<Value>): Value => {
  const value = values.find((each) => each === given[key])
  if (value === undefined) throw new Wrong(`${key} must be one of ${values.join(", ")}`)
  return value
}

const headers = (fields: Fields, key: string): LogHeaders => {
  const { line, repairs } = fields
  const named = object(fields.given[key], key, fields)
  const entries = Object.entries(named.given).map(([name, value]) => {
    if (typeof value !== "string") throw new Wrong(`${key}.${storableText(name.slice(0, 64))} must be a string`)
    const where = `line ${line}: ${key}`
    return [repairs.storable(name, where).toLowerCase(), repairs.storable(value, where)] as const
  })
  return Object.fromEntries(entries)
}

const headerKeys = ["version", "started_at", "page", "user_agent", "viewport", "timezone", "language"]

const headerIn = (fields: Fields): LogHeader => {
  if (fields.given.version !== 1) throw new Wrong("version must be 1")
  knownOnly(fields, "the header", headerKeys)
  const startedAt = parseIso(text(fields, "started_at"))
  if (startedAt === undefined) throw new Wrong("started_at must be an ISO 8601 timestamp with a time zone")
  const page = object(fields.given.page, "page", fields)
  knownOnly(page, "page", ["url", "title"])
  const viewport = object(fields.given.viewport, "viewport", fields)
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
        ...(fields.given.size_bytes !== undefined && { size_bytes: integer(fields, "size_bytes") }),
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
