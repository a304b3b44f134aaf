import { promisify } from "node:util"
import { createGunzip, gunzipSync, gzip, gzipSync } from "node:zlib"
import type { Recording } from "@tapedeck/domain"
import type { CaptureLog, LogEvent, LogHeader } from "@tapedeck/domain/capture"
import { cutLog, trimOf } from "@tapedeck/domain/internal"
import { Effect } from "effect"
import { storeOf } from "../store/Store.ts"

/** The largest log as text: events, gaps and header. */
const maxTextBytes = 64 * 1024 * 1024

/** Text at rest: gzipped, in base64. */
export const packed = (text: string): string => gzipSync(text).toString("base64")

/** Characters that are packed in a few milliseconds. */
const maxPackedAtOnce = 64 * 1024

const gzipApart = promisify(gzip)

/** As `packed`; a long text is packed while other fibers run. Outside of transactions. */
export const packedApart = (text: string): Effect.Effect<string> =>
  text.length <= maxPackedAtOnce
    ? Effect.sync(() => packed(text))
    : Effect.promise(async () => (await gzipApart(text)).toString("base64"))

export const unpacked = (stored: string): string =>
  gunzipSync(Buffer.from(stored, "base64"), { maxOutputLength: maxTextBytes }).toString("utf8")

const readPacked = Effect.fnUntraced(function* (recording: Recording) {
  const { recordingParts } = yield* storeOf("recordingParts")
  return (yield* recordingParts.read(recording.id, "log")).log
})

const parsed = ([header, ...events]: ReadonlyArray<string>): CaptureLog => ({
  header: JSON.parse(header!) as LogHeader,
  events: events.map((line) => JSON.parse(line) as LogEvent)
})

const cut = (log: CaptureLog, recording: Recording): CaptureLog => {
  const trim = trimOf(recording)
  return trim === undefined ? log : cutLog(log, trim)
}

/** The log of a recording as it is shown, without what a trim cuts off; undefined: it has none. It was checked as it came. */
export const storedLog = Effect.fnUntraced(function* (recording: Recording) {
  const log = yield* readPacked(recording)
  return log === null ? undefined : cut(parsed(unpacked(log).trimEnd().split("\n")), recording)
})

/** The same as text, which is parsed only if a trim cuts it. It is unpacked in parts: visitors can request it again and again. */
export const storedLogText = Effect.fnUntraced(function* (recording: Recording) {
  const log = yield* readPacked(recording)
  return log === null ? undefined : yield* Effect.promise(() => textOf(log, recording))
})

const textOf = async (log: string, recording: Recording): Promise<string> => {
  const isCut = trimOf(recording) !== undefined
  const parts: Array<string> = []
  let header: string | undefined
  for await (const lines of linesOf(log)) {
    const isFirst = header === undefined
    header ??= lines[0]
    if (header === undefined) continue
    if (!isCut) parts.push(...lines)
    else {
      const shown = cut(parsed(isFirst ? lines : [header, ...lines]), recording)
      parts.push(...[...(isFirst ? [shown.header] : []), ...shown.events].map((line) => JSON.stringify(line)))
    }
  }
  return `${parts.join("\n")}\n`
}

/** The first events of a log. `hasMore`: it has further ones. */
export interface LogStart {
  readonly events: ReadonlyArray<LogEvent>
  readonly hasMore: boolean
}

/** The start of what `storedLog` returns. It unpacks and parses no further, because visitors can request it again and again. */
export const storedLogStart = Effect.fnUntraced(function* (recording: Recording, maxEvents: number) {
  const log = yield* readPacked(recording)
  return log === null ? undefined : yield* Effect.promise(() => startOf(log, recording, maxEvents))
})

const startOf = async (log: string, recording: Recording, maxEvents: number): Promise<LogStart> => {
  const events: Array<LogEvent> = []
  let header: string | undefined
  for await (const lines of linesOf(log)) {
    header ??= lines.shift()
    if (header === undefined || lines.length === 0) continue
    events.push(...cut(parsed([header, ...lines]), recording).events)
    if (events.length > maxEvents) break
  }
  return { events: events.slice(0, maxEvents), hasMore: events.length > maxEvents }
}

/** The lines of a packed text, those of a block of 16 KiB at a time. It ends the unpacking when it is left early. */
async function* linesOf(stored: string): AsyncGenerator<Array<string>> {
  const unzip = createGunzip().setEncoding("utf8")
  unzip.end(Buffer.from(stored, "base64"))
  let rest = ""
  for await (const chunk of unzip) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    yield lines
  }
}
