import type { JournalEntry } from "../../journal/Journal.ts"
import { elapsedText } from "../../matchers/elapsed.ts"
import { sinkAt } from "../../sinks/Sinks.ts"
import { bareUrl } from "./jsonLine.ts"
import type { Paint, Style } from "./paint.ts"

/** The properties of the terminal. */
export interface Terminal {
  readonly paint: Paint
  /** Width in characters; undefined if it is unknown. */
  readonly columns: number | undefined
}

/** The parts of a line: event, outcome, subject and details. */
export interface Said {
  readonly what: string
  readonly result: string
  readonly style: Style
  /** The part that is shortened if the line is too long. */
  readonly about: string
  readonly more?: ReadonlyArray<string | undefined>
}

type Entry<Kind extends JournalEntry["kind"]> = Extract<JournalEntry, { readonly kind: Kind }>

/** A journal entry as one readable line; null if another entry contains the same. */
export const readableLine = (world: string, entry: JournalEntry, terminal: Terminal): string | null => {
  const parts = partsOf(entry)
  return parts === null ? null : line(world, entry.at, parts, terminal)
}

const partsOf = (entry: JournalEntry): Said | null => {
  switch (entry.kind) {
    case "request":
      return sayRequest(entry)
    case "attempt":
      return sayAttempt(entry)
    case "transcript":
      return { what: "transcript", result: "", style: "cyan", about: entry.id, more: [entry.status] }
    case "job":
      return sayJob(entry)
    case "clock":
      return sayClock(entry)
    case "control":
      return sayAnswered(entry)
    case "fault":
      // The request that it answered contains it.
      return null
  }
}

const sayAnswered = ({ method, path, status }: Pick<Entry<"request">, "method" | "path" | "status">): Said => ({
  what: method,
  result: status === 0 ? "reset" : String(status),
  style: styleOfStatus(status),
  about: path
})

const sayRequest = (entry: Entry<"request">): Said => ({
  ...sayAnswered(entry),
  more: [entry.user ?? undefined, entry.rule === undefined ? undefined : `rule ${entry.rule}`, unknownQuery(entry)]
})

/** Query parameters that the endpoint ignored, most often typing errors. */
const unknownQuery = ({ unknown_query: names }: Entry<"request">): string | undefined =>
  names === undefined ? undefined : `unknown query ${names.join(", ")}`

const sayAttempt = (entry: Entry<"attempt">): Said => ({
  what: `attempt ${entry.attempt}`,
  result: entry.status_code === null ? entry.outcome : String(entry.status_code),
  style: entry.outcome === "success" ? "green" : "red",
  about: `${entry.automation ?? entry.destination}: ${entry.request.method} ${receiver(entry.request.url)}`,
  more: [
    entry.elapsed_ms === 0 ? undefined : `+${elapsedText(entry.elapsed_ms)}`,
    entry.duration_ms === 0 ? undefined : `took ${elapsedText(entry.duration_ms)}`,
    inNeedOfWords.has(entry.outcome) ? (entry.error ?? undefined) : undefined,
    entry.id.slice(0, 8)
  ]
})

/** Outcomes that need an explanation. */
const inNeedOfWords = new Set(["blocked", "dns", "refused", "tls"])

/** Sinks by their name in start documents. */
const receiver = (url: string): string => {
  const sink = sinkAt(url)
  return sink === null ? bareUrl(url) : `sink:${sink.id}`
}

const sayJob = ({ attempt, id, job, outcome }: Entry<"job">): Said => ({
  what: attempt === undefined ? job : `${job} ${attempt}`,
  result: outcome.replaceAll("_", " "),
  style: outcome === "success" ? "green" : outcome === "skipped" ? "dim" : "red",
  // The id of a job that repeats is its kind.
  about: id === job ? "" : id
})

const sayClock = ({ fired, from, mode, rate, stopped_by: stoppedBy, to }: Entry<"clock">): Said => {
  const movedMs = Date.parse(to) - Date.parse(from)
  if (movedMs === 0 && fired === 0) {
    return { what: "clock", result: mode, style: "magenta", about: mode === "running" ? `at rate ${rate}` : "" }
  }
  return {
    what: "clock",
    result: "moved",
    style: "magenta",
    about: `+${elapsedText(movedMs)}`,
    more: [`${fired} fired`, stoppedBy === null ? undefined : `stopped by ${stoppedBy}`]
  }
}

const styleOfStatus = (status: number): Style =>
  status >= 500 || status === 0 ? "red" : status >= 400 ? "yellow" : status >= 300 ? "cyan" : "green"

const whatWidth = "transcript".length
const resultWidth = "timeout".length
const gap = "  "
/** Shortens `about`, but not to nothing. */
const leastAbout = 16

/** `2026-01-01 00:00:00.000  PATCH       403      /api/v2/recordings/…  bob@acme.test  rule …` */
export const line = (
  world: string,
  at: string,
  { about, more = [], result, style, what }: Said,
  terminal: Terminal
) => {
  const { columns = Number.POSITIVE_INFINITY, paint } = terminal
  const time = at.replace("T", " ").replace("Z", "")
  const [whatCell, resultCell] = [what.padEnd(whatWidth), result.padEnd(resultWidth)]
  const extras = [...more, world === "default" ? undefined : `in ${world}`].filter((one) => one !== undefined)
  const extra = extras.map((one) => gap + visible(one)).join("")
  const before = [time, whatCell, resultCell, ""].join(gap).length
  const shortAbout = shortened(visible(about), Math.max(leastAbout, columns - before - extra.length))
  const shortExtra = shortened(extra, columns - before - shortAbout.length)
  const cells = [paint("dim", time), whatCell, paint(style, resultCell), ...(shortAbout === "" ? [] : [shortAbout])]
  return cells.join(gap) + paint("dim", shortExtra)
}

const shortened = (text: string, room: number): string =>
  text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`

/** Removes control characters, so that no input can control the terminal. */
const visible = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
