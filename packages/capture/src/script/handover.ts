import { type Clock, now } from "../clock.ts"
import { parse, quietly, stringify, wallClock } from "../intrinsics.ts"
import type { LogTarget, PageApi, Pairing } from "../PageApi.ts"

/** State that a page leaves to the next page of its origin. */
export interface LogState {
  readonly pairing: Pairing
  readonly stream: string
  readonly seq: number
  /** Unsent lines, as one text, because a page may redefine how lists are written as JSON. */
  readonly unsent: string
  readonly clock: Clock
  readonly email: string | null
}

/** Maximum time for the load of a page of the same origin, in milliseconds. */
const handoverMs = 60_000
/** Maximum size of the last request of a page, in bytes. Browsers send at most 64 KiB for a closed page. */
const maxLastBytes = 60_000

/**
 * Returns the position of this frame in its tab, as indexes of frames; empty for the top page. Frames of an origin share `sessionStorage`,
 * and a page continues with the state of the previous page in the same frame.
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

/** Returns the clock shifted by `ms`. Clocks of pages differ after a sleep of the machine; the wall clock is the same for all. */
const shifted = (clock: Clock, ms: number): Clock => ({ ...clock, at: clock.at + ms })

/** Stores the state of the log in `sessionStorage`, for the next page of this origin in this tab. Throws if there is no room. */
export const leaveState = (key: string, state: LogState) => {
  const at = wallClock()
  sessionStorage.setItem(nameOf(key), stringify({ at, state: { ...state, clock: shifted(state.clock, at - now()) } }))
}

/** Takes the state of a previous page. It can be taken only once. */
export const takeState = (key: string): LogState | null => {
  const text = sessionStorage.getItem(nameOf(key))
  if (text === null) return null
  sessionStorage.removeItem(nameOf(key))
  const { at, state } = parse(text) as { readonly at: number; readonly state: LogState }
  const taken = wallClock()
  return taken - at < handoverMs ? { ...state, clock: shifted(state.clock, now() - taken) } : null
}

/** Sends the lines that fit when the page is closed, because the next page may have another origin. The server skips repeated numbers. */
export const sendLast = (api: PageApi, { pairing, stream, unsent }: LogState) => {
  // A UTF-16 code unit has at most three bytes.
  const body = unsent.slice(0, unsent.lastIndexOf("\n", maxLastBytes / 3) + 1)
  if (body !== "") void api.appendLog(targetOf(pairing), stream, body, true).catch(() => {})
}

export const targetOf = ({ log_token, logs_url }: Pairing): LogTarget => ({ capture_token: log_token, logs_url })
