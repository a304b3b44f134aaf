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
  /** Returns whether a request to this address is the recorder's own. Default: none. */
  readonly isOwn?: (url: string) => boolean
  /** Returns whether bodies of this address are read. Default: none. */
  readonly keepsBody?: (url: string) => boolean
  /** Returns whether an element's texts are kept out of the log. Default: those of masked elements. */
  readonly isMasked?: (element: Element) => boolean
}

/** Limits of the look-back: time in milliseconds, events, and characters. The oldest events are dropped first. */
const lookBackMs = 60_000
const maxEvents = 2_000
const maxCharacters = 2_000_000
/** Maximum number of entries of an event's object. It exceeds the number of headers that a log keeps, so that the server sees that there were more. */
const maxHeaders = 300

/** Returns an event without the parts that are far beyond the limits of a log. Bodies were already cut when they were read. */
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
 * Records console, errors, network, navigation and the person's actions of a page, from its construction on. The last 60 seconds are kept in
 * memory; `onEvent` receives later events. Nothing is redacted here.
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

  /** Returns the events of the last 60 seconds that are not before `from`, in the order in which they were seen. */
  lookBack(from = 0): ReadonlyArray<TimedEvent> {
    const since = Math.max(from, now() - lookBackMs)
    return this.#kept.filter(({ at }) => at >= since)
  }

  /** Restores the wrapped functions, and drops the stored events. */
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
