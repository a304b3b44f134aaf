import { createGunzip, createGzip, gunzipSync, gzipSync } from "node:zlib"
import type { Recording } from "@tapedeck/domain"
import {
  eventOfLine,
  type LogEvent,
  type LogHeader,
  type LogLine,
  type LogOfLines,
  type LogSummary,
  logLineOf,
  summaryOf,
  textOfLine
} from "@tapedeck/domain/capture"
import { cutLog, trimOf } from "@tapedeck/domain/internal/files"
import { Effect, Semaphore, Stream } from "effect"
import { inSlices } from "../inSlices.ts"
import { openedStream } from "../openedStream.ts"
import { storeOf } from "../store/Store.ts"

/** The largest log as text: events, gaps and header. */
const maxTextBytes = 64 * 1024 * 1024

/** Text at rest: gzipped, in base64. */
export const packed = (text: string): string => gzipSync(text).toString("base64")

/** Does the same as `packed`, but lets other fibers run while a long text is packed. Belongs outside of transactions. */
export const packedInTime = (text: string): Effect.Effect<string> =>
  text.length <= blockCharacters ? Effect.sync(() => packed(text)) : Effect.promise(() => packedInBlocks([text]))

export const unpacked = (stored: string): string =>
  gunzipSync(Buffer.from(stored, "base64"), { maxOutputLength: maxTextBytes }).toString("utf8")

/** A log that is made whole, and what follows from it. */
export interface PackedLog {
  /** Text as returned by `packed`. */
  readonly log: string
  readonly summary: LogSummary
}

/** Whole logs that are in memory at a time: each takes up to 150 MB. */
const maxWholeLogs = 2

const wholeLogs = Semaphore.makeUnsafe(maxWholeLogs)

/** Runs what has a whole log in memory when it is its turn. Belongs outside of transactions. */
export const withWholeLog = wholeLogs.withPermits(1)

/** Packs a log in slices. */
export const packLog = Effect.fnUntraced(function* (log: LogOfLines) {
  const summary = yield* inSlices(summaryOf(log))
  const made: PackedLog = { log: yield* Effect.promise(() => packedInBlocks(textBlocks(log))), summary }
  return made
})

/** Characters of a block: some milliseconds of work. */
const blockCharacters = 64 * 1024

function* textBlocks({ header, lines }: LogOfLines): Generator<string> {
  let block = `${JSON.stringify(header)}\n`
  for (const line of lines) {
    block += `${textOfLine(line)}\n`
    if (block.length < blockCharacters) continue
    yield block
    block = ""
  }
  yield block
}

const packedInBlocks = async (blocks: Iterable<string>): Promise<string> => {
  const zip = createGzip()
  const parts: Array<Buffer> = []
  zip.on("data", (part: Buffer) => parts.push(part))
  const ended = new Promise((resolve, reject) => zip.once("end", resolve).once("error", reject))
  for (const block of blocks) await new Promise((resolve) => zip.write(block, resolve))
  zip.end()
  await ended
  return Buffer.concat(parts).toString("base64")
}

/** A log as it is shown, without what a trim cuts off. It was checked as it came. */
export interface StoredLog {
  /** The bytes that stay in memory as long as the log is read. */
  readonly sizeBytes: number
  /** Lines of the log, block by block; each call begins at the start. The first block has the header, and may have no lines. */
  readonly blocks: () => AsyncGenerator<LogOfLines>
}

/** The log of a recording; undefined: it has none. It is unpacked only as far as it is read. */
export const storedLog = Effect.fnUntraced(function* (recording: Recording) {
  const { recordingParts } = yield* storeOf("recordingParts")
  const { log } = yield* recordingParts.read(recording.id, "log")
  if (log === null) return undefined
  const bytes = Buffer.from(log, "base64")
  const stored: StoredLog = { sizeBytes: bytes.length, blocks: () => blocksOf(bytes, recording) }
  return stored
})

async function* blocksOf(bytes: Buffer, recording: Recording): AsyncGenerator<LogOfLines> {
  const trim = trimOf(recording)
  let header: LogHeader | undefined
  for await (const texts of linesOf(bytes)) {
    const events = texts.slice(header === undefined ? 1 : 0).map(logLineOf)
    header ??= JSON.parse(texts[0]!) as LogHeader
    const shown = trim === undefined ? { header, events } : cutLog({ header, events }, trim)
    yield { header: shown.header, lines: shown.events }
  }
}

/** The lines of a packed text, those of a block at a time. It ends the unpacking when it is left early. */
async function* linesOf(bytes: Buffer): AsyncGenerator<ReadonlyArray<string>> {
  const unzip = createGunzip({ chunkSize: blockCharacters }).setEncoding("utf8")
  unzip.end(bytes)
  // Parts of a line that is longer than a block are joined once.
  let begun: Array<string> = []
  for await (const chunk of unzip as AsyncIterable<string>) {
    const end = chunk.lastIndexOf("\n")
    if (end === -1) {
      begun.push(chunk)
      continue
    }
    const [first, ...lines] = chunk.slice(0, end).split("\n")
    yield [begun.join("") + first, ...lines]
    begun = [chunk.slice(end + 1)]
  }
  const last = begun.join("")
  if (last !== "") yield [last]
}

/** The log as JSON Lines, block by block, with the lines for which `isIn` holds. */
export async function* logText(log: StoredLog, isIn: (line: LogLine) => boolean = () => true): AsyncGenerator<string> {
  let isFirst = true
  for await (const { header, lines } of log.blocks()) {
    const texts = lines.filter(isIn).map((line) => `${textOfLine(line)}\n`)
    if (isFirst) texts.unshift(`${JSON.stringify(header)}\n`)
    isFirst = false
    if (texts.length > 0) yield texts.join("")
  }
}

/** The text of a log, unpacked and written as it is read. */
export interface LogText {
  /** The bytes that stay in memory as long as it is read. */
  readonly sizeBytes: number
  readonly text: Stream.Stream<string>
}

/** A text of a log whose first piece has been read: a log that cannot be read at all is a defect here. */
export const openedText = ({ sizeBytes }: StoredLog, pieces: AsyncIterable<string>) =>
  Effect.map(
    openedStream(Stream.orDie(Stream.fromAsyncIterable(pieces, (error) => error))),
    (text): LogText => ({ sizeBytes, text })
  )

/** The first events of a log. `hasMore`: it has further ones. */
export interface LogStart {
  readonly events: ReadonlyArray<LogEvent>
  readonly hasMore: boolean
}

/** Characters of the lines of a log's start: one more line is read where the others have fewer. */
const maxStartCharacters = 1024 * 1024

/** The start of a log. It is parsed no further, because visitors can request it again and again. */
export const startOfLog = async (log: StoredLog, maxEvents: number): Promise<LogStart> => {
  const events: Array<LogEvent> = []
  let characters = 0
  for await (const { lines } of log.blocks()) {
    for (const line of lines) {
      if (events.length >= maxEvents || characters >= maxStartCharacters) return { events, hasMore: true }
      characters += line.rest.length
      events.push(eventOfLine(line))
    }
  }
  return { events, hasMore: false }
}
