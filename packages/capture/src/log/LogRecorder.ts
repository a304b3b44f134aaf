import { now } from "../clock.ts"
import { sizeOf } from "../LogStream.ts"
import { cut } from "../text.ts"
import { recordActions } from "./actions.ts"
import { recordConsole } from "./console.ts"
import { recordErrors } from "./errors.ts"
import { recordFetch } from "./fetch.ts"
import { liesIn } from "./masked.ts"
import { recordNavigation } from "./navigation.ts"
import { maxBody } from "./network.ts"
import { Patches } from "./patches.ts"
import { maxMessage } from "./print.ts"
import type { PageEvent, Recording, TimedEvent } from "./recording.ts"
import { recordResources } from "./resources.ts"
import { recordWebSockets } from "./webSockets.ts"
import { recordXhr } from "./xhr.ts"

export interface LogRecorderOptions {
  /** Requests to these addresses are the recorder's own. Default: none. */
  readonly isOwn?: (url: string) => boolean
  /** Whether bodies of this address are read. Default: none. */
  readonly keepsBody?: (url: string) => boolean
  /** Whether an element's texts stay out of the log. Default: those that are masked. */
  readonly isMasked?: (element: Element) => boolean
}

/** The look-back: how long, how many events, and how many characters are kept. The oldest go first. */
const lookBackMs = 60_000
const maxEvents = 2_000
const maxCharacters = 2_000_000
/** Entries of an event's object: more headers than a log keeps, so that the server sees that there were more. */
const maxHeaders = 300

/** An event without what is far beyond a log's limits: the texts of headers and of all else. Bodies were cut where they were read. */
const bounded = (value: unknown, key = ""): unknown => {
  if (typeof value === "string") return cut(value, key.endsWith("_body") ? maxBody : maxMessage)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxHeaders)
      .map(([name, item]) => [name, bounded(item, name)])
  )
}

/**
 * Records console, errors, network, navigation and the person's actions of a page, from its construction on. The last 60 s are
 * kept in memory; `onEvent` receives what happens from then on. Nothing is redacted here.
 */
export class LogRecorder {
  onEvent: ((event: TimedEvent) => void) | null = null
  readonly #patches = new Patches()
  #kept: Array<TimedEvent> = []
  #characters = 0

  constructor({ isMasked, isOwn = () => false, keepsBody = () => false }: LogRecorderOptions = {}) {
    const recording: Recording = {
      patches: this.#patches,
      add: (event, at = now()) => {
        if (event.kind !== "network" || !isOwn(event.url)) this.#add({ at, event: bounded(event) as PageEvent })
      },
      isOwn,
      keepsBody,
      isMasked: isMasked ?? ((element) => liesIn(element, "[data-tapedeck-mask]"))
    }
    recordConsole(recording)
    recordErrors(recording)
    recordFetch(recording)
    recordXhr(recording)
    recordWebSockets(recording)
    recordResources(recording)
    recordNavigation(recording)
    recordActions(recording)
  }

  /** What happened in the last 60 s, and not before `from`, in the order in which it was seen. */
  lookBack(from = 0): ReadonlyArray<TimedEvent> {
    const since = Math.max(from, now() - lookBackMs)
    return this.#kept.filter(({ at }) => at >= since)
  }

  /** Puts back what was wrapped, and forgets what was kept. */
  unload() {
    this.#patches.end()
    this.onEvent = null
    this.#kept = []
  }

  #add(timed: TimedEvent) {
    this.#kept.push(timed)
    this.#characters += sizeOf(timed.event)
    const since = timed.at - lookBackMs
    while (this.#kept.length > maxEvents || this.#characters > maxCharacters || this.#kept[0]!.at < since) {
      this.#characters -= sizeOf(this.#kept.shift()!.event)
      if (this.#kept.length === 0) break
    }
    this.onEvent?.(timed)
  }
}
