import * as Result from "effect/Result"
import { atOnce } from "../slices.ts"
import { logOfHar } from "./har/fromHar.ts"
import { limitEvents, limitHeader, noLogUse, takeEvents } from "./limitLog.ts"
import type { CaptureLog } from "./log.ts"
import { mergedLog } from "./logText.ts"
import { addRedactions } from "./RedactionCounts.ts"
import { LogUnreadable, readLogLines } from "./readLog.ts"
import { makeRedactor } from "./redact/redactor.ts"
import type { Redactions } from "./redact/rules.ts"

export interface ImportedLog {
  readonly log: CaptureLog
  readonly redactions: Redactions
}

/**
 * A log that a member imports: this format, or HAR 1.2. It is redacted, but keeps its bodies, and what is beyond a limit is a gap.
 * An event whose `seq` came before is left out.
 */
export const importedLog = (text: string, customerEmail: string | null): Result.Result<ImportedLog, LogUnreadable> =>
  Result.map(parsedLog(text), ({ events, header }) => {
    const rules = { headers: [], query_parameters: [], body_urls: [], keepsAllBodies: true, customerEmail }
    const redactor = makeRedactor(rules)
    const seen = new Set<number>()
    const once = events.filter(({ seq }) => !seen.has(seq) && seen.add(seq)).sort((a, b) => a.seq - b.seq)
    const head = limitHeader(redactor.header(limitHeader(header)))
    const headRedactions = redactor.counts()
    const { redactions, taken, use } = takeEvents(noLogUse, atOnce(limitEvents(noLogUse, once, redactor)))
    const stream = { name: "main", header: head, events: taken.map(({ event }) => event) }
    return { log: mergedLog([stream], use)!, redactions: addRedactions(headRedactions, redactions) }
  })

/** A log begins with its header, on a line of its own; anything else is read as HAR. */
const parsedLog = (text: string): Result.Result<CaptureLog, LogUnreadable> => {
  if (!isCaptureLog(text)) return logOfHar(text)
  return Result.flatMap(readLogLines(text), ({ events, header }) =>
    header === null
      ? Result.fail(new LogUnreadable({ problem: "the first line must be the header", line: 1 }))
      : Result.succeed({ header, events })
  )
}

const isCaptureLog = (text: string): boolean => {
  const [first = ""] = text.trimStart().split("\n", 1)
  try {
    const value: unknown = JSON.parse(first)
    return typeof value === "object" && value !== null && !("log" in value)
  } catch {
    return false
  }
}
