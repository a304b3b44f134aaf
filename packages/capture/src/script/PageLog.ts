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
 * The log of this page in a capture: redacted, by the recording's time. The recorder cuts what is far beyond a log's limits; the
 * server cuts to the limits, and says so by gaps.
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

  /** False once the server takes no more. */
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

  /** Adds an event. What happens in a pause is counted only. */
  add({ at, event }: TimedEvent) {
    if (this.#clock.phase === "paused") this.#paused += 1
    else this.#stream.add({ t: timeAt(this.#clock, at), ...event })
  }

  /** Ends this page's part. */
  leave(): LogState {
    const unsent = this.#stream.takeAll().map((line) => `${line}\n`)
    return { ...this.#state, clock: this.#clock, unsent: unsent.join(""), seq: this.#stream.next }
  }
}
