import type { LogStart } from "@tapedeck/core"
import type { LogEvent } from "@tapedeck/domain/capture"
import { isolated } from "../html.ts"
import { clock } from "./transcript.ts"

/** Maximum number of events on the page; the file has all of them. More would take a browser seconds. */
export const maxShownEvents = 1_000
const maxShownText = 500

const isError = (event: LogEvent): boolean =>
  event.kind === "error" ||
  (event.kind === "console" && event.level === "error") ||
  (event.kind === "network" && (event.status === 0 || event.status >= 400))

const textOf = (event: LogEvent): string => {
  switch (event.kind) {
    case "console":
      return `${event.level}: ${event.message}`
    case "error":
      return event.message
    case "network":
      return `${event.status === 0 ? "no response" : event.status} ${event.method} ${event.url}`
    case "navigation":
      return `${event.url} ${event.title}`
    case "mark":
      return event.text
    case "gap":
      return `${event.dropped} left out: ${event.reason}`
    default:
      return event.target
  }
}

const item = (event: LogEvent, hasVideo: boolean): string => {
  const text = textOf(event)
  const shown = text.length > maxShownText ? `${text.slice(0, maxShownText)} …` : text
  const seconds = Math.max(0, event.t / 1_000)
  const time = `${event.t < 0 ? "−" : ""}${clock(Math.abs(event.t) / 1_000)}`
  const content = `<time>${time}</time><span>${event.kind}</span>${isolated(shown)}`
  const name = isError(event) ? "event error" : "event"
  return hasVideo
    ? `<li><button type="button" class="${name}" data-at="${seconds}">${content}</button></li>`
    : `<li><div class="${name}">${content}</div></li>`
}

/** The log below the video, closed at first. Where there is a video, an event is a button that jumps to its time. */
export const logSection = ({ events, hasMore }: LogStart, name: string, hasVideo: boolean): string => {
  const count = hasMore ? `the first ${events.length}` : events.length
  return `<details class="card log">
<summary>Log (${count} events)</summary>
<p><a href="${name}/log" download>Save the log</a></p>
<ol>
${events
  .toSorted((one, other) => one.t - other.t)
  .map((event) => item(event, hasVideo))
  .join("\n")}
</ol>
${hasMore ? "<p>Further events are in the file.</p>" : ""}</details>
`
}
