import * as Result from "effect/Result"
import { hasMoreValues } from "../jsonValues.ts"
import type { Sliced } from "../slices.ts"
import { logOfHar } from "./har/fromHar.ts"
import { type LogLine, logLineOf } from "./LogLine.ts"
import { isFull, limitEvents, limitHeader, noLogUse, takeEvents } from "./limitLog.ts"
import { type LogOfLines, mergedLog } from "./logText.ts"
import { addRedactions } from "./RedactionCounts.ts"
import { Repairs } from "./Repairs.ts"
import { indexedLog, type LogUnreadable, MAX_LINE_VALUES } from "./readLog.ts"
import { makeRedactor } from "./redact/redactor.ts"
import type { Redactions } from "./redact/rules.ts"

export interface ImportedLog {
  readonly log: LogOfLines
  readonly redactions: Redactions
  /** Changes and omissions that made the rest of the text readable. */
  readonly repairs: Repairs
}

/**
 * Reads a log that a member imports, in Tapedeck's format or HAR 1.2. The log is redacted, but keeps its bodies; content beyond a limit is
 * replaced by a gap. Events with a repeated `seq` are omitted.
 */
export function* importedLog(
  text: string,
  customerEmail: string | null,
  repairs = new Repairs()
): Sliced<Result.Result<ImportedLog, LogUnreadable>> {
  const read = yield* isCaptureLog(text) ? indexedLog(text, repairs) : logOfHar(text, repairs)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { count, event, header } = read.success
  const rules = { headers: [], query_parameters: [], body_urls: [], keepsAllBodies: true, customerEmail }
  const redactor = makeRedactor(rules)
  const head = limitHeader(redactor.header(limitHeader(header)))
  let redactions = redactor.counts()
  let use = noLogUse
  const lines: Array<LogLine> = []
  for (let nth = 0; nth < count; nth++) {
    // Events beyond the limits are counted, and not read.
    const offered = isFull(use) ? [{ seq: nth, limited: null }] : yield* limitEvents(use, [event(nth)], redactor)
    const { taken, ...after } = takeEvents(use, offered)
    use = after.use
    redactions = addRedactions(redactions, after.redactions)
    for (const one of taken) lines.push(logLineOf(JSON.stringify(one.event)))
    yield workPerEvent
  }
  const log = yield* mergedLog([{ name: "main", header: head, lines }], use)
  return Result.succeed({ log: log!, redactions, repairs })
}

/** Cost of an event besides its redaction, in characters. */
const workPerEvent = 100

/** Maximum length of a header. A longer first line is not one. */
const maxHeaderCharacters = 1024 * 1024

const isCaptureLog = (text: string): boolean => {
  const start = text.trimStart().slice(0, maxHeaderCharacters)
  const end = start.indexOf("\n")
  const first = end === -1 ? start : start.slice(0, end)
  if (hasMoreValues(first, MAX_LINE_VALUES)) return false
  try {
    const value: unknown = JSON.parse(first)
    return typeof value === "object" && value !== null && !("log" in value)
  } catch {
    return false
  }
}
