import type { LogEvent, Redactor } from "@tapedeck/domain/capture"
import { type Clock, timeAt } from "../clock.ts"
import { headerOf, LogStream } from "../LogStream.ts"
import type { TimedEvent } from "../log/recording.ts"
import type { PageApi } from "../PageApi.ts"
import { type LogState, targetOf } from "./handover.ts"

interface Options {
  readonly api: PageApi
  readonly redactor: Redactor
  readonly state: LogState
}

const gatherMs = 1_000

/**
 * Log of this page in a capture, redacted, with times of the recording. The recorder cuts data that is far beyond the limits of a log; the
 * server cuts to the limits, and records that with gaps.
 */
export class PageLog {
  readonly #state: LogState
  readonly #stream: LogStream
  #clock: Clock
  #paused = 0

  constructor({ api, redactor, state }: Options) {
    this.#state = state
    this.#clock = state.clock
    this.#stream = new LogStream({
      api,
      target: targetOf(state.pairing),
      name: state.stream,
      header: state.seq === 0 ? redactor.header(headerOf(state.clock.startedAt)) : null,
      seq: state.seq,
      unsent: state.unsent.split("\n").filter(Boolean),
      gatherMs,
      prepare: (event) => redactor.event(event as unknown as LogEvent)
    })
  }

  /** True while the server accepts events. */
  get isOpen(): boolean {
    return this.#stream.isOpen
  }

  setClock(clock: Clock) {
    if (clock.phase === "recording" && this.#paused > 0) {
      this.#stream.add({ t: timeAt(clock, clock.at), kind: "gap", reason: "paused", dropped: this.#paused })
      this.#paused = 0
    }
    this.#clock = clock
  }

  /** Adds an event. Events during a pause are only counted. */
  add({ at, event }: TimedEvent) {
    if (this.#clock.phase === "paused") this.#paused += 1
    else this.#stream.add({ t: timeAt(this.#clock, at), ...event })
  }

  /** Ends the part of this page. Returns the state for the next page. */
  leave(): LogState {
    const unsent = this.#stream.takeAll().map((line) => `${line}\n`)
    return { ...this.#state, clock: this.#clock, unsent: unsent.join(""), seq: this.#stream.next }
  }
}
