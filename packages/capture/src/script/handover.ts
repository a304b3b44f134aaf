import { type Clock, now } from "../clock.ts"
import { parse, quietly, stringify, wallClock } from "../intrinsics.ts"
import type { LogTarget, PageApi, Pairing } from "../PageApi.ts"

/** What a page leaves to the next one of its origin. */
export interface LogState {
  readonly pairing: Pairing
  readonly stream: string
  readonly seq: number
  /** Lines. A text, because a page may say how lists are written as JSON. */
  readonly unsent: string
  readonly clock: Clock
  readonly email: string | null
}

/** How long a page of the same origin may take to load. */
const handoverMs = 60_000
/** What browsers send for a page that is gone is 64 KiB at most, in bytes. */
const maxLastBytes = 60_000

/**
 * Where this frame is in its tab, as indexes of frames; empty for the tab's own page. Frames of one origin share `sessionStorage`, and
 * a page goes on with what the page before in the same frame has left.
 */
const framePath = (): string => {
  let path = ""
  let frame: Window = window
  for (let depth = 0; depth < 10 && frame.parent !== frame; depth++) {
    const { parent } = frame
    let index = 0
    while (index < parent.length && parent[index] !== frame) index++
    path += `:${index}`
    frame = parent
  }
  return path
}

const nameOf = (key: string) => `tapedeck:${key}${quietly(framePath) ?? ""}`

/** The clock of another page at an instant of its own, by this page's. Where pages slept, theirs differ; the wall clock's is the same. */
const shifted = (clock: Clock, ms: number): Clock => ({ ...clock, at: clock.at + ms })

/** Leaves the log's state in `sessionStorage`, for the next page of this origin in this tab. Throws where it has no room. */
export const leaveState = (key: string, state: LogState) => {
  const at = wallClock()
  sessionStorage.setItem(nameOf(key), stringify({ at, state: { ...state, clock: shifted(state.clock, at - now()) } }))
}

/** Takes the state that a page before has left. Another page cannot take it again. */
export const takeState = (key: string): LogState | null => {
  const text = sessionStorage.getItem(nameOf(key))
  if (text === null) return null
  sessionStorage.removeItem(nameOf(key))
  const { at, state } = parse(text) as { readonly at: number; readonly state: LogState }
  const taken = wallClock()
  return taken - at < handoverMs ? { ...state, clock: shifted(state.clock, now() - taken) } : null
}

/** Sends what fits, though the page goes: the next page may be one of another origin. What comes twice is skipped by its number. */
export const sendLast = (api: PageApi, { pairing, stream, unsent }: LogState) => {
  // A UTF-16 code unit has at most three bytes.
  const body = unsent.slice(0, unsent.lastIndexOf("\n", maxLastBytes / 3) + 1)
  if (body !== "") void api.appendLog(targetOf(pairing), stream, body, true).catch(() => {})
}

export const targetOf = ({ log_token, logs_url }: Pairing): LogTarget => ({ capture_token: log_token, logs_url })
