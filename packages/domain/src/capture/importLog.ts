import * as Result from "effect/Result"
import type { Sliced } from "../slices.ts"
import { logOfHar } from "./har/fromHar.ts"
import { hasMoreValues } from "./jsonValues.ts"
import { limitEvents, limitHeader, noLogUse, takeEvents } from "./limitLog.ts"
import type { CaptureLog } from "./log.ts"
import { type LogOfLines, linesOfEvents, mergedLog } from "./logText.ts"
import { addRedactions } from "./RedactionCounts.ts"
import { Repairs } from "./Repairs.ts"
import { LogUnreadable, logLinesIn, MAX_LINE_VALUES } from "./readLog.ts"
import { makeRedactor } from "./redact/redactor.ts"
import type { Redactions } from "./redact/rules.ts"
import { takeUnseen } from "./seen.ts"

export interface ImportedLog {
  readonly log: LogOfLines
  readonly redactions: Redactions
  /** What of the text was changed or left out so that the rest could be read. */
  readonly repairs: Repairs
}

/**
 * A log that a member imports: this format, or HAR 1.2. It is redacted, but keeps its bodies, and what is beyond a limit is a gap.
 * An event whose `seq` came before is left out.
 */
export function* importedLog(
  text: string,
  customerEmail: string | null,
  repairs = new Repairs()
): Sliced<Result.Result<ImportedLog, LogUnreadable>> {
  const read = yield* parsedLog(text, repairs)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { events, header } = read.success
  const rules = { headers: [], query_parameters: [], body_urls: [], keepsAllBodies: true, customerEmail }
  const redactor = makeRedactor(rules)
  const { unseen } = takeUnseen([], events)
  const ordered = unseen.toSorted((a, b) => a.seq - b.seq)
  const head = limitHeader(redactor.header(limitHeader(header)))
  const ofHead = redactor.counts()
  const { redactions, taken, use } = takeEvents(noLogUse, yield* limitEvents(noLogUse, ordered, redactor))
  const lines = yield* linesOfEvents(taken.map(({ event }) => event))
  const stream = { name: "main", header: head, lines }
  const log = yield* mergedLog([stream], use)
  return Result.succeed({ log: log!, redactions: addRedactions(ofHead, redactions), repairs })
}

/** A log begins with its header, on a line of its own; anything else is read as HAR. */
function* parsedLog(text: string, repairs: Repairs): Sliced<Result.Result<CaptureLog, LogUnreadable>> {
  if (!isCaptureLog(text)) return yield* logOfHar(text, repairs)
  return Result.flatMap(yield* logLinesIn(text, repairs), ({ events, header }) =>
    header === null
      ? Result.fail(new LogUnreadable({ problem: "the first line must be the header", line: 1 }))
      : Result.succeed({ header, events })
  )
}

/** A first line that is longer is no header. */
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
